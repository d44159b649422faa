//! What a decision costs, in memory: at 1,000 and at 10,000 members, and a whole run of 1,000.
//!
//! `cargo bench --bench engine`. First one line a figure: the cost of a decision in the middle of a
//! run, how it grows from 1,000 to 10,000 members (it must not grow faster than their number: ratio
//! per member at most about 1, or the bench fails), and all decisions of a run of 1,000 members. Then divan's own table.

#![allow(clippy::print_stdout)]

mod bed;
#[path = "../support/goals.rs"]
mod goals;

use std::time::{Duration, Instant};

use bed::Bed;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut goals = goals::Goals::default();
    let small = cost(&Bed::midway(1_000));
    let large = cost(&Bed::midway(10_000));
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    println!("one decision,  1,000 members   {small:>10.1?}");
    println!("one decision, 10,000 members   {large:>10.1?}");
    goals.one(
        "cost of a decision a member, 10,000 to 1,000",
        ratio / 10.0,
        "",
        Some(1.1),
    );
    let mut bed = Bed::new(1_000);
    let start = Instant::now();
    let decisions = bed.play();
    let spent = start.elapsed();
    println!(
        "whole run,     1,000 members   {spent:>10.1?}   {decisions} decisions, {} done",
        bed.done()
    );
    divan::main();
    goals.end()
}

/// The median cost of the next decision.
fn cost(bed: &Bed) -> Duration {
    let mut samples: Vec<Duration> = (0..101)
        .map(|_| {
            let start = Instant::now();
            divan::black_box(bed.decide());
            start.elapsed()
        })
        .collect();
    samples.sort();
    samples.get(50).copied().unwrap_or_default()
}

/// A member has ended its upgrade and the next one is begun.
#[divan::bench(args = [1_000, 10_000])]
fn decision(bencher: divan::Bencher<'_, '_>, members: usize) {
    let bed = Bed::midway(members);
    bencher.bench_local(|| bed.decide());
}

/// Nothing has changed since the last decision.
#[divan::bench(args = [1_000, 10_000])]
fn quiet(bencher: divan::Bencher<'_, '_>, members: usize) {
    let mut bed = Bed::midway(members);
    bed.step();
    bencher.bench_local(|| bed.decide());
}
