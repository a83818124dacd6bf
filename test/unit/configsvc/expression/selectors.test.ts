/** Cases about selectors and filters from the tests of Consul. */
import { expect, it } from 'vitest'
import {
  bool,
  checkExpression,
  int,
  listShape,
  mapShape,
  matches,
  parseExpression,
  record,
  type Shape,
  text,
} from '../../../../src/configsvc/expression/index.ts'
import { describeAclFile } from '../../../fixtures/acl-vectors.ts'

type Value =
  | { readonly on: 'identity'; readonly value: object; readonly list: object }
  | { readonly on: 'entry'; readonly entry: object }

interface Case {
  readonly id: string
  readonly value: string
  readonly expression: string
  readonly expect: boolean | 'refused'
}

interface Cases {
  readonly values: Readonly<Record<string, Value>>
  readonly cases: readonly Case[]
}

const IDENTITY = record({ value: mapShape(text), list: mapShape(listShape(text)) })

/** The data, as far as the cases use it. */
const ENTRY = record({
  Kind: text,
  Name: text,
  Protocol: text,
  MaxInboundConnections: int(),
  TransparentProxy: record({ OutboundListenerPort: int(), DialedDirectly: bool }),
  Meta: mapShape(text),
  Expose: record({
    Checks: bool,
    Paths: listShape(record({ ListenerPort: int(), LocalPathPort: int(), Path: text, Protocol: text })),
  }),
  Destination: record({ Addresses: listShape(text), Port: int() }),
})

function outcome(expression: string, shape: Shape, datum: unknown): boolean | 'refused' {
  try {
    return matches(checkExpression(parseExpression(expression), shape), datum)
  } catch (error) {
    expect(error).toMatchObject({ status: 400 })
    return 'refused'
  }
}

describeAclFile<Cases>('selectors.json', 'selectors of the originals', ({ values, cases }) => {
  it.each(cases)('a selector has the result that Consul gives: $id, $expression', ({ value, expression, expect: expected }) => {
    const datum = values[value] as Value
    expect(outcome(expression, datum.on === 'identity' ? IDENTITY : ENTRY, datum.on === 'identity' ? datum : datum.entry)).toBe(
      expected,
    )
  })
})
