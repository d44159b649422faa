//! Figures with their goals: printed one a line, and at the end a failure that names each goal that
//! was missed by more than noise. Benches include this file; none uses all of it.
#![allow(dead_code, clippy::print_stdout)]

use std::fmt::Write;

/// How far past its goal a figure may be before the bench fails: machines are never quite quiet.
const NOISE: f64 = 1.15;

/// What was missed so far.
#[derive(Default)]
pub struct Goals {
    missed: String,
}

impl Goals {
    /// A figure by itself.
    pub fn one(&mut self, what: &str, figure: f64, unit: &str, goal: Option<f64>) {
        self.say(what, figure, unit, goal, "");
    }

    /// The median of samples, with their extremes.
    pub fn median(&mut self, what: &str, samples: &mut [f64], unit: &str, goal: Option<f64>) {
        let what = format!("{what}, median");
        self.of(&what, samples, samples.len() / 2, unit, goal);
    }

    /// What one sample in a hundred is above, with the extremes.
    pub fn p99(&mut self, what: &str, samples: &mut [f64], unit: &str, goal: Option<f64>) {
        let what = format!("{what}, p99");
        self.of(&what, samples, samples.len() * 99 / 100, unit, goal);
    }

    fn of(&mut self, what: &str, samples: &mut [f64], place: usize, unit: &str, goal: Option<f64>) {
        samples.sort_by(f64::total_cmp);
        let (Some(figure), [least, .., most]) = (samples.get(place), &*samples) else {
            self.missed += &format!(" {what} has no samples.");
            return;
        };
        let count = samples.len();
        let range = format!("   {least:.2} to {most:.2} in {count}");
        self.say(what, *figure, unit, goal, &range);
    }

    fn say(&mut self, what: &str, figure: f64, unit: &str, goal: Option<f64>, range: &str) {
        let goal_text = goal.map_or(String::new(), |goal| format!("   goal <= {goal}"));
        println!("{what:<44} {figure:>9.2} {unit:<4}{goal_text}{range}");
        if let Some(goal) = goal.filter(|goal| figure > goal * NOISE) {
            let _ = write!(self.missed, " {what} is {figure:.2} {unit}, not {goal}.");
        }
    }

    /// An error where a goal was missed.
    pub fn end(self) -> Result<(), Box<dyn std::error::Error>> {
        match self.missed.trim() {
            "" => Ok(()),
            missed => Err(missed.into()),
        }
    }
}
