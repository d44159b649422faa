//! Label and field selectors: their grammar, and whether an object matches.

mod fields;
mod labels;

use crate::embedded::catalog::Resource;
use crate::embedded::refusal::Refusal;
use crate::embedded::store::Object;

/// What a list or watch is narrowed to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: labels::Labels,
    fields: fields::Fields,
}

impl Selector {
    pub(crate) fn parse(
        resource: &Resource,
        labels: Option<&str>,
        fields: Option<&str>,
    ) -> Result<Self, Refusal> {
        let labels = labels::Labels::parse(labels.unwrap_or_default());
        let fields = fields::Fields::parse(resource, fields.unwrap_or_default());
        Ok(Self {
            labels: labels.map_err(Refusal::bad_request)?,
            fields: fields.map_err(Refusal::bad_request)?,
        })
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Object) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }
}
