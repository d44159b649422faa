//! What users ask of a hub, one file a verb; the console and the command line call the same.
//!
//! A verb reads the object, lets the engine judge whether the request is legal (so that a refusal
//! comes at once, with its code and a sentence) and writes with the version it judged on. After a
//! conflict it reads and judges again, a few times at most; nothing is ever written blindly. No
//! rule about runs or gates stands here.

mod approve;
mod create;
mod delete;
mod error;
mod findings;
mod fresh;
mod read;
mod resume;
mod skip;
mod start;
mod stop;

pub use approve::{Which, approve};
pub use create::{Created, create, plan};
pub use delete::delete;
pub use error::{Error, Object, Refused};
pub use findings::findings;
pub use fresh::Expect;
pub use read::{Listed, Scene, fleet, scene};
pub use resume::resume;
pub use skip::{Asked, skip};
pub use start::start;
pub use stop::stop;
