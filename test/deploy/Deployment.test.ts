import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { hasTools, root, tools } from "../clients/packages/Packed.ts"
import { hasProgram } from "../support/InstalledPrograms.ts"
import { renderChart } from "./ChartTemplates.ts"

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: ReturnType<typeof JSON.parse>
}

const require = createRequire(join(tools, "x.js"))
const deploy = join(root, "deploy")
const read = (file: string): string => readFileSync(join(deploy, file), "utf8")

/** A tree whose shape the tests know, and TypeScript need not. */
type Tree = ReturnType<typeof JSON.parse>

const parse = (text: string): Tree => require("js-yaml").load(text)
const resourcesIn = (text: string): ReadonlyArray<Resource> => require("js-yaml").loadAll(text)

/** By the schemas that Kubernetes publishes. */
const validate = async ({ apiVersion, kind, ...fields }: Resource): Promise<void> => {
  const file = pathToFileURL(join(tools, "kubernetes-models", apiVersion, `${kind}.js`))
  const { [kind]: Model } = (await import(file.href)) as Tree
  new Model({ apiVersion, kind, ...fields }).validate()
}

const chart = (): ReadonlyArray<Resource> =>
  renderChart(join(deploy, "helm/peyk"), {
    Release: { Name: "peyk" },
    Values: parse(read("helm/peyk/values.yaml"))
  }).flatMap(resourcesIn)

const byKind = (resources: ReadonlyArray<Resource>): Tree =>
  Object.fromEntries(resources.map((each) => [each.kind, each]))

describe.runIf(hasTools)("the deployment files", () => {
  const kubernetes = [
    ["deploy/kubernetes", () => resourcesIn(read("kubernetes/peyk.yaml"))],
    ["deploy/helm", chart]
  ] as const

  it.each(kubernetes)("of %s are valid by the schemas of Kubernetes", async (_, load) => {
    const resources = load()
    expect(resources.map(({ kind }) => kind).toSorted()).toEqual([
      "Deployment",
      "Job",
      "PodDisruptionBudget",
      "Service"
    ])
    await Promise.all(resources.map(validate))
  })

  it("are refused by these schemas with a text for a number", async () => {
    const [job] = resourcesIn(read("kubernetes/peyk.yaml"))
    if (job === undefined) return expect.unreachable()
    await expect(validate({ ...job, spec: { ...job.spec, backoffLimit: "five" } })).rejects.toThrow(
      "backoffLimit"
    )
  })

  it.each(kubernetes)("of %s replace pods without a gap, and move requests only to ready ones", (_, load) => {
    const { Deployment, PodDisruptionBudget, Service } = byKind(load())
    const { template, strategy, selector, replicas } = Deployment.spec
    const [container] = template.spec.containers
    expect(replicas).toBeGreaterThan(1)
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    expect(container.readinessProbe.httpGet.path).toBe("/readyz")
    expect(container.livenessProbe.httpGet.path).toBe("/healthz")
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      30 + container.lifecycle.preStop.sleep.seconds
    )
    for (const labels of [
      selector.matchLabels,
      Service.spec.selector,
      PodDisruptionBudget.spec.selector.matchLabels
    ])
      expect(template.metadata.labels).toMatchObject(labels)
  })

  it.each(kubernetes)("of %s run without root, capabilities and a writable disk", (_, load) => {
    const { Deployment, Job } = byKind(load())
    for (const { spec } of [Deployment.spec.template, Job.spec.template]) {
      expect(spec.securityContext.runAsNonRoot).toBe(true)
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] }
      })
      expect(spec.containers[0].envFrom).toEqual([{ secretRef: { name: "peyk" } }])
    }
  })

  it("of the chart and the plain ones differ in labels and hooks alone", () => {
    const plain = byKind(resourcesIn(read("kubernetes/peyk.yaml")))
    const rendered = byKind(chart())
    const podOf = (resources: Tree, kind: string) => resources[kind].spec.template.spec.containers
    for (const kind of ["Deployment", "Job"]) expect(podOf(rendered, kind)).toEqual(podOf(plain, kind))
    expect(rendered.Job.metadata.annotations["helm.sh/hook"]).toBe("pre-install,pre-upgrade")
  })
})

describe.runIf(hasProgram("systemd-analyze", "--version"))("the systemd unit", () => {
  it("has an exposure of at most 3", () => {
    const args = [
      "security",
      "--offline=true",
      "--threshold=30",
      "--no-pager",
      join(deploy, "systemd/peyk.service")
    ]
    const printed = execFileSync("systemd-analyze", args, { encoding: "utf8" })
    const [, exposure] = /exposure level for peyk\.service: ([\d.]+)/.exec(printed) ?? []
    expect(Number(exposure)).toBeLessThanOrEqual(3)
  })
})

it("no core dump of a service writes its secrets to disk", () => {
  expect(read("systemd/peyk.service")).toMatch(/\[Service\](?:\n[^[].*)*\nLimitCORE=0$/m)
  expect(read("docker/compose.yml")).toMatch(/^ {2}peyk:\n(?: {4}.*\n)*? {4}ulimits: \{ core: 0 \}$/m)
})

it("the systemd unit is started again however often its start fails, such as while PostgreSQL is away", () => {
  expect(read("systemd/peyk.service")).toMatch(/^Restart=always\n(?:.*\n)*RestartSec=\d+$/m)
  expect(read("systemd/peyk.service")).toMatch(/\[Unit\](?:\n[^[].*)*\nStartLimitIntervalSec=0$/m)
})

it("the compose file takes any password: it writes none into a URL", () => {
  const compose = read("docker/compose.yml")
  expect(compose).not.toMatch(/:\/\/[^\s]*\$\{/)
  expect(compose.match(/PGPASSWORD: \$\{POSTGRES_PASSWORD:/g)).toHaveLength(2)
})
