//! The form for a new run, and the plan that it leads to.

use tui_input::Input;

use crate::api::{
    NodeImageSelection, NodeImageSelectionType, NodeImageVersion, RunIntent, UpdateRunSpec,
    Upgrade, UpgradeType,
};

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Field {
    Strategy,
    Type,
    Version,
    Images,
    Custom,
    Name,
    Preview,
    Cancel,
}

/// What a new run is to be.
#[derive(Clone, Debug)]
pub struct Form {
    /// Strategies to choose from; the first one is empty and stands for none.
    pub strategies: Vec<String>,
    /// The chosen one.
    pub strategy: usize,
    /// The chosen type.
    pub type_: UpgradeType,
    /// Kubernetes version.
    pub version: Input,
    /// Node images.
    pub images: NodeImageSelectionType,
    /// Custom image versions, apart at blanks.
    pub custom: Input,
    /// Name of the run.
    pub name: Input,
    /// The field with the focus.
    pub focus: Field,
    /// What is wrong with it, from the engine.
    pub wrong: Vec<String>,
    /// Whether a plan is on its way.
    pub waiting: Option<u64>,
    /// Milliseconds on the machine's clock when it opened.
    pub opened: u64,
}

impl Form {
    /// Fields that take part, in order.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Strategy, Field::Type];
        if self.type_ != UpgradeType::NodeImageOnly {
            fields.push(Field::Version);
        }
        if self.type_ != UpgradeType::ControlPlaneOnly {
            fields.push(Field::Images);
            if self.images == NodeImageSelectionType::Custom {
                fields.push(Field::Custom);
            }
        }
        fields.extend([Field::Name, Field::Preview, Field::Cancel]);
        fields
    }

    /// Text field with the focus.
    pub fn input(&mut self) -> Option<&mut Input> {
        match self.focus {
            Field::Version => Some(&mut self.version),
            Field::Custom => Some(&mut self.custom),
            Field::Name => Some(&mut self.name),
            Field::Strategy | Field::Type | Field::Images | Field::Preview | Field::Cancel => None,
        }
    }

    /// Turns a choice forwards or backwards.
    pub fn turn(&mut self, forwards: bool) {
        match self.focus {
            Field::Strategy => {
                let n = self.strategies.len().max(1);
                self.strategy = (self.strategy + if forwards { 1 } else { n - 1 }) % n;
            }
            Field::Type => {
                let all = [
                    UpgradeType::Full,
                    UpgradeType::ControlPlaneOnly,
                    UpgradeType::NodeImageOnly,
                ];
                self.type_ = turned(&all, self.type_, forwards);
            }
            Field::Images => {
                let all = [
                    NodeImageSelectionType::Latest,
                    NodeImageSelectionType::Consistent,
                    NodeImageSelectionType::Custom,
                ];
                self.images = turned(&all, self.images, forwards);
            }
            Field::Version | Field::Custom | Field::Name | Field::Preview | Field::Cancel => {}
        }
    }

    /// What the run asks for.
    pub fn spec(&self) -> UpdateRunSpec {
        let strategy = self.strategies.get(self.strategy).filter(|s| !s.is_empty());
        let version = self.version.value().trim();
        let images = (self.type_ != UpgradeType::ControlPlaneOnly).then(|| NodeImageSelection {
            type_: self.images,
            custom_node_image_versions: match self.images {
                NodeImageSelectionType::Custom => self
                    .custom
                    .value()
                    .split_whitespace()
                    .map(|v| NodeImageVersion {
                        version: v.to_owned(),
                    })
                    .collect(),
                NodeImageSelectionType::Latest | NodeImageSelectionType::Consistent => Vec::new(),
            },
        });
        UpdateRunSpec {
            strategy_name: strategy.cloned(),
            strategy: None,
            upgrade: Upgrade {
                type_: self.type_,
                kubernetes_version: (self.type_ != UpgradeType::NodeImageOnly
                    && !version.is_empty())
                .then(|| version.to_owned()),
            },
            node_image_selection: images,
            state: RunIntent::Initialize,
            attempt: 1,
            skips: Vec::new(),
        }
    }
}

fn turned<T: Copy + PartialEq>(all: &[T], now: T, forwards: bool) -> T {
    let at = all.iter().position(|t| *t == now).unwrap_or(0);
    let step = if forwards { 1 } else { all.len() - 1 };
    all.get((at + step) % all.len()).copied().unwrap_or(now)
}
