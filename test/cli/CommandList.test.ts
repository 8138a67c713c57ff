import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { commandsNamedIn } from "../../src/cli/CommandList.ts"

const withSubcommands = (words: ReadonlyArray<string>) =>
  Effect.map(commandsNamedIn(words), (commands) =>
    commands.filter(({ subcommands }) => subcommands.length > 0).map(({ name }) => name)
  )

const descriptionsOf = (words: ReadonlyArray<string>) =>
  Effect.map(commandsNamedIn(words), (commands) =>
    commands.map(({ name, description }) => [name, description])
  )

it.effect("only the commands that the words name are loaded", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* withSubcommands([]), [])
    assert.deepStrictEqual(yield* withSubcommands(["--help"]), [])
    assert.deepStrictEqual(yield* withSubcommands(["--json", "key", "list"]), ["key"])
    assert.deepStrictEqual(yield* withSubcommands(["--env-file", "wallet", "key", "list"]), ["key", "wallet"])
  })
)

it.effect("what is about all commands loads all of them", () =>
  Effect.gen(function* () {
    for (const words of [["--completions", "bash"], ["--completions=bash"], ["--wizard"]])
      assert.isAbove((yield* withSubcommands(words)).length, 10)
  })
)

it.effect("a command has the same name and description, loaded or not", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* descriptionsOf(["--wizard"]), yield* descriptionsOf([]))
    for (const [, description] of yield* descriptionsOf([])) assert.isString(description)
    assert.isTrue((yield* commandsNamedIn([])).every(Command.isCommand))
  })
)
