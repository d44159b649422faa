//! A thousand members, five groups in parallel, a soak that ends three weeks after the start; the
//! production hub, controller and simulator under a manual clock, as `fleetdeck rehearse` has them.

use std::fmt::Write;
use std::time::Instant;

use fleetdeck::cli::Lines;
use fleetdeck::rehearse::{Format, Options, run};

use super::Result;
use super::goals::Goals;

/// Prints how long a rehearsal of that many members takes.
pub fn measure(members: usize, goals: &mut Goals) -> Result<()> {
    let file = file(members)?;
    let options = Options {
        format: Format::Jsonl,
        ..Options::default()
    };
    let mut took = Vec::new();
    for _ in 0..3 {
        let begun = Instant::now();
        let output = run(&file, &options, &mut Lines)?;
        took.push(begun.elapsed().as_secs_f64());
        let last = output
            .text
            .lines()
            .rev()
            .find(|l| l.contains("\"what\":\"run\""));
        if !last.is_some_and(|l| l.contains("\"to\":\"Completed\"")) {
            return Err("the run did not complete".into());
        }
    }
    let what = format!("{members} members, three weeks");
    goals.median(&what, &mut took, "s", Some(2.0));
    Ok(())
}

fn file(members: usize) -> Result<String> {
    let mut file = String::new();
    for n in 0..members {
        write!(
            file,
            "---\napiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\nmetadata: {{name: \
             m{n:04}, labels: {{env: prod}}}}\nspec: {{group: g{}, region: r{}, provider: \
             {{simulated: {{kubernetesVersion: 1.33.4, upgradeDuration: {}m, nodePools: [{{name: \
             np1, count: 3, kubernetesVersion: 1.33.4}}]}}}}}}\n",
            n % 5,
            n % 3,
            20 + n % 17
        )?;
    }
    let groups: Vec<String> = (0..5)
        .map(|g| format!("{{name: g{g}, maxConcurrency: '10'}}"))
        .collect();
    write!(
        file,
        "---\napiVersion: fleetdeck.io/v1alpha1\nkind: UpdateStrategy\nmetadata: {{name: s}}\n\
         spec: {{stages: [{{name: s, groups: [{}], afterStageWaitInSeconds: 1780000}}]}}\n\
         ---\napiVersion: fleetdeck.io/v1alpha1\nkind: UpdateRun\nmetadata: {{name: r}}\n\
         spec: {{strategyName: s, upgrade: {{type: Full, kubernetesVersion: 1.34.1}}}}\n\
         ---\napiVersion: fleetdeck.io/v1alpha1\nkind: Rehearsal\nmetadata: {{name: weeks}}\n\
         spec: {{start: '2026-03-02T09:00:00Z', steps: [{{at: 0s, do: run start r}}]}}\n",
        groups.join(", ")
    )?;
    Ok(file)
}
