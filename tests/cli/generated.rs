//! Files of the checkout that the program writes itself.

use std::path::Path;

use super::program;

#[test]
fn generated_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).display().to_string();
    let done = program::run(&["dev", "generate", "--check", "--root", &root]);
    assert_eq!(done.code, 0, "{}", done.err);
}

#[test]
fn crds_are_printed_without_a_hub() {
    let text = program::run(&["crds"]).expect(0);
    assert_eq!(text.matches("kind: CustomResourceDefinition").count(), 5);
}
