//! What follows from a deletion: dependants, contents of namespaces, objects of definitions.
