/** Cases about selectors and filters from the tests of Consul. */
import { expect, it } from 'vitest'
import {
  boolShape,
  checkExpression,
  intShape,
  listShape,
  mapShape,
  matches,
  parseExpression,
  recordShape,
  type Shape,
  textShape,
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

const IDENTITY = recordShape({ value: mapShape(textShape), list: mapShape(listShape(textShape)) })

/** The data, as far as the cases use it. */
const ENTRY = recordShape({
  Kind: textShape,
  Name: textShape,
  Protocol: textShape,
  MaxInboundConnections: intShape(),
  TransparentProxy: recordShape({ OutboundListenerPort: intShape(), DialedDirectly: boolShape }),
  Meta: mapShape(textShape),
  Expose: recordShape({
    Checks: boolShape,
    Paths: listShape(recordShape({ ListenerPort: intShape(), LocalPathPort: intShape(), Path: textShape, Protocol: textShape })),
  }),
  Destination: recordShape({ Addresses: listShape(textShape), Port: intShape() }),
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
