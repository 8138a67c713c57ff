import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hasTools, root, tools } from "../clients/packages/Packed.ts"
import { hasProgram } from "../support/InstalledPrograms.ts"

const deploy = join(root, "deploy")
const parse = (file: string): ReturnType<typeof JSON.parse> =>
  createRequire(join(tools, "x.js"))("js-yaml").load(readFileSync(join(deploy, file), "utf8"))

describe.runIf(hasTools)("the alert rules", () => {
  it("give each alert a runbook that exists, at an address that an operator chooses", () => {
    const runbooks = readFileSync(join(root, "docs/runbooks.md"), "utf8")
    const { groups } = parse("prometheus/peyk.rules.yml")
    for (const { alert, annotations } of groups[0].rules) {
      expect(annotations.runbook_url).toBe(`{{ $externalLabels.peyk_docs }}/runbooks/#${alert.toLowerCase()}`)
      expect(runbooks).toContain(`\n## ${alert}\n`)
    }
    const { external_labels } = parse("prometheus/prometheus.yml").global
    expect(new URL(external_labels.peyk_docs).protocol).toMatch(/^https?:$/)
  })
})

describe.runIf(hasProgram("promtool", "--version"))("promtool", () => {
  it("accepts the alert rules and the configuration, and fills in the link to a runbook", () => {
    const file = join(mkdtempSync(join(tmpdir(), "peyk-rules-")), "tests.json")
    const alert = {
      exp_labels: { severity: "critical", job: "peyk", instance: "a:8080" },
      exp_annotations: {
        summary: "Peyk on a:8080 cannot be scraped",
        runbook_url: "https://docs.example.ir/peyk/runbooks/#peykdown"
      }
    }
    const down = {
      interval: "1m",
      external_labels: { peyk_docs: "https://docs.example.ir/peyk" },
      input_series: [{ series: 'up{job="peyk", instance="a:8080"}', values: "0x10" }],
      alert_rule_test: [{ eval_time: "5m", alertname: "PeykDown", exp_alerts: [alert] }]
    }
    writeFileSync(
      file,
      JSON.stringify({ rule_files: [join(deploy, "prometheus/peyk.rules.yml")], tests: [down] })
    )
    expect(execFileSync("promtool", ["test", "rules", file], { encoding: "utf8" })).toContain("SUCCESS")
    const configuration = join(deploy, "prometheus/prometheus.yml")
    const checked = ["check", "config", "--syntax-only", configuration]
    expect(execFileSync("promtool", checked, { encoding: "utf8" })).toContain("SUCCESS")
  })
})
