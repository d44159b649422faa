//! Forms of an answer: lists, tables, metadata alone.

mod age;
mod columns;
mod list;
mod metadata;
mod table;

pub(crate) use list::{list, metadata_list};
pub(crate) use metadata::metadata_of;
pub(crate) use table::{Include, Table};
