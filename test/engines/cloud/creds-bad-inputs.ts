import { otherVerbs, cloud as typed } from '../../../src/engines/cloud/index.ts'
import type { Kernel } from '../../../src/index.ts'
import { type Known, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'

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

export const BAD: readonly (readonly [field: string, what: string, value: unknown])[] = [
  ['role_arn', '70,000 characters', LONG],
  ['role_arn', 'NUL', 'a\0b'],
  ['role_arn', 'a line break', 'a\nb'],
  ...['role_arn', 'role_session_name'].flatMap((field) =>
    (
      [
        ['5,000 nested levels', nested(5000)],
        ['an object', { a: 1 }],
        ['a list', ['x']],
      ] as const
    ).map(([what, value]) => [field, what, value] as const),
  ),
  ['ttl', '70,000 characters', LONG],
  ['ttl', '70,000 digits', '9'.repeat(70_000)],
  ['ttl', 'NUL', '5\0'],
  ['ttl', 'a negative number', '-1'],
  ['ttl', '5,000 nested levels', nested(5000)],
  ['ttl', 'a list', [60]],
  ['name', '70,000 characters', LONG],
  ['name', 'NUL', 'a\0b'],
  ['name', 'a trailing period', 'session.'],
  ['name', 'a lone surrogate', 'a\ud800b'],
]

/** Requests for credentials of a role: as a typed call and with each verb that can carry the value. */
export function waysToAsk(kernel: Kernel, role: string, field: string, value: unknown) {
  const input = { name: role, [field]: value }
  const methods = { creds: kernel.cloud.creds, sts: kernel.cloud.sts } as Readonly<
    Record<string, (args: object) => Promise<unknown>>
  >
  const token = { 'X-Service-Token': kernel.rootToken ?? '' }
  return OPERATIONS.flatMap((known) => [
    // A query has only string values.
    ...(known.operation.verb === 'POST' || typeof value === 'string'
      ? [async () => pathOutcome(await kernel.handle(requestOf(known, input, token)))]
      : []),
    ...(methods[known.method] ? [async () => typedOutcome(() => methods[known.method]!.call(kernel.cloud, input))] : []),
  ])
}
