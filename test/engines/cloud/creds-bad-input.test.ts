/** What nobody should send for credentials, by both views and both verbs: refused at once, with nothing asked. */
import { describe, expect, it } from 'vitest'
import { otherVerbs, cloud as typed } from '../../../src/engines/cloud/index.ts'
import { type Known, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'
import { MEASURED } from '../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../fixtures/slowness.ts'
import { longestStretch } from '../../large/stretch.ts'
import { openCloud } from './creds-world.ts'

const { creds, sts } = typed.operations

const OPERATIONS: readonly Known[] = Object.entries({ creds, sts, ...otherVerbs }).map(([method, operation]) => ({
  title: method,
  method,
  mount: 'cloud/',
  operation,
  fields: operation.fields,
}))

const nested = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

const LONG = 'x'.repeat(70_000)

const BAD: readonly (readonly [field: string, what: string, value: unknown])[] = [
  ...['role_arn', 'role_session_name'].flatMap((field) =>
    (
      [
        ['70,000 characters', LONG],
        ['NUL', 'a\0b'],
        ['a line break', 'a\nb'],
        ['nesting', nested(5000)],
        ['an object', { a: 1 }],
        ['a list', ['x']],
      ] as const
    ).map(([what, value]) => [field, what, value] as const),
  ),
  ['ttl', '70,000 characters', LONG],
  ['ttl', '70,000 digits', '9'.repeat(70_000)],
  ['ttl', 'NUL', '5\0'],
  ['ttl', 'less than nothing', '-1'],
  ['ttl', 'nesting', nested(5000)],
  ['ttl', 'a list', [60]],
  ['name', '70,000 characters', LONG],
  ['name', 'NUL', 'a\0b'],
  ['name', 'a period at its end', 'session.'],
  ['name', 'half a surrogate pair', 'a\ud800b'],
]

describe.each(['user', 'session', 'token'])('bad input for credentials of a role %s', (role) => {
  it.each(BAD)('%s: %s', MEASURED, async (field, _, value) => {
    await using world = await openCloud()
    const { kernel, cloud } = world
    const given = { name: role, [field]: value }
    const methods = { creds: kernel.cloud.creds, sts: kernel.cloud.sts } as Readonly<
      Record<string, (args: object) => Promise<unknown>>
    >
    const token = { 'X-Service-Token': kernel.rootToken ?? '' }
    const ways = OPERATIONS.flatMap((known) => [
      // A query holds texts alone.
      ...(known.operation.verb === 'POST' || typeof value === 'string'
        ? [async () => pathOutcome(await kernel.handle(requestOf(known, given, token)))]
        : []),
      ...(methods[known.method] ? [async () => typedOutcome(() => methods[known.method]!.call(kernel.cloud, given))] : []),
    ])
    for (const way of ways) {
      let least = Number.POSITIVE_INFINITY
      for (let tries = 0; tries < 3 && least >= LONGEST_STRETCH_MS; tries++) {
        const { result, worst } = await longestStretch(way)
        least = Math.min(least, worst)
        expect(result, result.said.slice(0, 200)).toMatchObject({ status: field === 'name' ? expect.toBeOneOf([400, 404]) : 400 })
      }
      expect(least).toBeLessThan(LONGEST_STRETCH_MS)
    }
    expect(cloud.calls).toEqual([])
  })
})
