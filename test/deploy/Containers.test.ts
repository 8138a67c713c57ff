import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { settings } from "../../src/layers/config/Configuration.ts"
import { hasTools, root, tools } from "../clients/packages/Packed.ts"

type Tree = ReturnType<typeof JSON.parse>

const require = createRequire(join(tools, "x.js"))
const deploy = join(root, "deploy")
const read = (file: string): string => readFileSync(join(deploy, file), "utf8")
const parse = (file: string): Tree => require("js-yaml").load(read(file))

describe.runIf(hasTools)("the container files", () => {
  it("have a compose file: its services mount files that exist, set settings that exist, and Grafana is provisioned", () => {
    const { services, volumes } = parse("docker/compose.yml")
    const mounted = Object.values<Tree>(services).flatMap((each) => each.volumes ?? [])
    for (const mount of mounted as ReadonlyArray<string>) {
      const [source = ""] = mount.split(":")
      if (source.startsWith(".")) expect(existsSync(join(deploy, "docker", source)), source).toBe(true)
      else expect(volumes).toHaveProperty(source)
    }
    const known = new Set<string>(Object.values(settings).map(({ name }) => name))
    expect(Object.keys(services.peyk.environment).filter((name) => !known.has(name))).toEqual([])
    const { datasources } = parse("grafana/provisioning/datasources/peyk.yml")
    expect(datasources[0].url).toBe("http://prometheus:9090")
    const { providers } = parse("grafana/provisioning/dashboards/peyk.yml")
    expect(services.grafana.volumes.join()).toContain(`${providers[0].options.path}/peyk.json`)
    expect(services["first-customer"].profiles).toEqual(["setup"])
  })

  it("have a Dockerfile without an error or a warning", () => {
    const { validate } = require("dockerfile-utils")
    expect(validate(read("docker/Dockerfile"))).toEqual([])
    expect(validate("FROM node\nCOPY a\n")).toMatchObject([
      { message: "COPY requires at least two arguments" }
    ])
  })
})
