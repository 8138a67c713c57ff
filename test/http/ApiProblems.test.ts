import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST, SchemaIssue } from "effect"
import { problem } from "../../src/domain/Problem.ts"
import { check, problemsIn, refusedAt } from "../../src/domain/SchemaProblems.ts"
import { Api } from "../../src/http/Api.ts"

type AnyCheck = NonNullable<SchemaAST.AST["checks"]>[number]
type AnyFilter = Extract<AnyCheck, { readonly _tag: "Filter" }>

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isObjects(ast)) {
    return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
  }
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest]
  if (SchemaAST.isUnion(ast)) return ast.types
  return SchemaAST.isSuspend(ast) ? [ast.thunk()] : []
}

const filtersOf = (each: AnyCheck): ReadonlyArray<AnyFilter> =>
  each._tag === "Filter" ? [each] : each.checks.flatMap(filtersOf)

/** The checks of all that a schema has, on both its sides. */
const filtersIn = (ast: SchemaAST.AST, seen: Set<SchemaAST.AST>): ReadonlyArray<AnyFilter> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  const next = [...partsOf(ast), ...(ast.encoding ?? []).map(({ to }) => to)]
  return [...(ast.checks ?? []).flatMap(filtersOf), ...next.flatMap((each) => filtersIn(each, seen))]
}

const seen = new Set<SchemaAST.AST>()
const filters = Object.values(Api.groups)
  .flatMap(({ endpoints }) => Object.values(endpoints))
  .flatMap(({ payload, query }) => [
    ...(query === undefined ? [] : [query]),
    ...[...payload.values()].flatMap(({ schemas }): ReadonlyArray<Schema.Top> => schemas)
  ])
  .flatMap(({ ast }) => filtersIn(ast, seen))

const found = <S extends Schema.Codec<unknown, unknown>>(schema: S, given: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(given)
  return Result.isSuccess(decoded) ? [] : problemsIn(decoded.failure.issue)
}

describe("what a request can do wrong", () => {
  it("has checks", () => {
    assert.isAbove(filters.length, 50)
  })

  it("is known by its code, and not only by Effect's sentence", () => {
    for (const filter of filters) {
      const { representation, problem: own } = filter.annotations ?? {}
      // Without either, the check reports an issue that has the problem.
      if (representation === undefined && own === undefined) continue
      const issue = new SchemaIssue.Filter(filter, new SchemaIssue.InvalidValue())
      assert.notInclude(
        problemsIn(issue).map(({ problem: { code } }) => code),
        "other",
        JSON.stringify(representation)
      )
    }
  })
})

describe("a schema's problem", () => {
  const refused = problem("too_many_lines", { maximum: 3 })

  it("is that of the check, with its place", () => {
    const schema = Schema.Struct({ lines: Schema.String.check(check((text) => text.length < 4, refused)) })
    assert.deepStrictEqual(found(schema, { lines: "12345" }), [{ path: ["lines"], problem: refused }])
    assert.deepStrictEqual(found(schema, {}), [{ path: ["lines"], problem: problem("required") }])
    assert.deepStrictEqual(found(schema, { lines: "1" }), [])
  })

  it("is each that a check finds in parts of a value", () => {
    const schema = Schema.Struct({ a: Schema.Int, b: Schema.Int }).check(
      Schema.makeFilter(({ a, b }) => [
        ...(a > 0 ? [] : [refusedAt(["a"], problem("too_small", { above: 0 }))]),
        ...(b > 0 ? [] : [refusedAt(["b"], refused)])
      ])
    )
    assert.deepStrictEqual(found(schema, { a: 0, b: 0 }), [
      { path: ["a"], problem: problem("too_small", { above: 0 }) },
      { path: ["b"], problem: refused }
    ])
  })

  it("has the values of Effect's own checks", () => {
    const number = Schema.Int.check(Schema.isBetween({ minimum: 45, maximum: 120 }))
    const texts = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(2))
    const codes = (schema: Schema.Codec<unknown, unknown>, given: unknown) =>
      found(schema, given).map((each) => each.problem)
    assert.deepStrictEqual(codes(number, 5), [problem("out_of_range", { minimum: 45, maximum: 120 })])
    assert.deepStrictEqual(codes(number, 45.5), [problem("not_integer")])
    assert.deepStrictEqual(codes(texts, []), [problem("empty")])
    assert.deepStrictEqual(codes(texts, ["a", "b", "c"]), [problem("too_long", { maximum: 2 })])
    assert.deepStrictEqual(codes(Schema.String.check(Schema.isUUID()), "x"), [problem("not_uuid")])
    assert.deepStrictEqual(codes(Schema.Literals(["live", "test"]), "x"), [
      problem("unexpected_type", { expected: [{ value: "live" }, { value: "test" }] })
    ])
  })

  it("changes no JSON Schema", () => {
    const plain = Schema.String.check(Schema.makeFilter((text) => text.length < 4))
    const own = Schema.String.check(check((text) => text.length < 4, refused))
    assert.deepStrictEqual(Schema.toJsonSchemaDocument(own), Schema.toJsonSchemaDocument(plain))
  })
})
