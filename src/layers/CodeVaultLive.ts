import { Effect, Layer } from "effect"
import { CodeVault } from "../services/CodeVault.ts"
import { MasterKey } from "./MasterKey.ts"

export const CodeVaultLive = Layer.effect(
  CodeVault,
  Effect.map(MasterKey, (key) =>
    CodeVault.of({
      hash: (id, code) => Effect.sync(() => key.mac("code-hash", `${id}:${code}`)),
      seal: (id, code) => Effect.sync(() => key.seal("code-seal", id, code)),
      open: (id, sealed) => Effect.sync(() => key.open("code-seal", id, sealed))
    })
  )
)
