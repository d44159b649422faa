//! What fills the body, one file a page.

pub mod gate_detail;
pub mod gates;
pub mod needs;
pub mod plan;
pub mod run_detail;
pub mod runs;
pub mod tree;
pub mod tree_detail;
pub mod tree_gate;
pub mod tree_side;
