/**
 * Large or deep requests for every operation of the configuration service.
 */
import type { AnyField } from '../../src/core/field/field.ts'
import {
  EVERY_CONFIG_OPERATION,
  type KnownOperation,
  type Members,
  type OperationWorld,
} from '../fixtures/configsvc-operations.ts'
import { runs } from '../fixtures/runs.ts'
import { TIER } from '../tiers.ts'

/** Uses every string for every member, instead of each only where it could do harm. */
const EVERYTHING = TIER === 'soak'
const LONG = runs({ quick: 200_000, slow: 1_000_000 })
const MAX_RULES_LENGTH = 520_000
/** The maximum number of links in a role or token. */
const MAX_GRANTS = 1000
/** One more than a list may have. */
const TOO_MANY = 10_001

export interface LargeRequest {
  readonly title: string
  /** Builds the request in advance, so that sending it measures only the service. */
  readonly prepare: (world: OperationWorld) => () => Promise<{ readonly status: number }>
}

/** Valid elements for each list, so that only the length of the list is invalid. */
const ELEMENTS: Readonly<Record<string, (i: number) => unknown>> = {
  Policies: (i) => ({ Name: `p${i}` }),
  Roles: (i) => ({ Name: `r${i}` }),
  ServiceIdentities: (i) => ({ ServiceName: `s${i}` }),
  NodeIdentities: (i) => ({ NodeName: `n${i}`, Datacenter: 'dc1' }),
  TemplatedPolicies: (i) => ({ TemplateName: 'builtin/service', TemplateVariables: { name: `s${i}` } }),
  Datacenters: (i) => `dc${i}`,
  NamespaceRules: () => ({}),
}

const many = (count: number, element: (i: number) => unknown): readonly unknown[] =>
  Array.from({ length: count }, (_, i) => element(i))

/** Strings that are slow for a reader whose work grows faster than their length. */
const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => 'x'.repeat(length),
  quotes: (length) => '"'.repeat(length / 2),
  parentheses: (length) => '('.repeat(length),
  braces: (length) => '{'.repeat(length),
  templates: (length) => '${'.repeat(length / 2),
  spaces: (length) => ' '.repeat(length),
  commas: (length) => 'a,'.repeat(length / 2),
  conjunctions: (length) => 'value.a == b and '.repeat(length / 17),
  negations: (length) => `${'not '.repeat(length / 4)}value.a == b`,
  blocks: (length) => 'key "a" { policy = "read" }\n'.repeat(length / 28),
  dots: (length) => '.'.repeat(length),
  digits: (length) => '9'.repeat(length),
  dashes: (length) => '-'.repeat(length),
}

/** Members whose strings have a grammar. */
const READ_CLOSELY = ['Rules', 'Selector', 'BindName', 'BearerToken', 'ExpirationTTL', 'ExpirationTime', 'MaxTokenTTL']

const textsOf = (name: string) =>
  Object.entries(TEXTS).filter(([what]) => EVERYTHING || what === 'letters' || READ_CLOSELY.includes(name))

const writes = EVERY_CONFIG_OPERATION.filter(
  ({ operation: { verb, whole } }) => (verb === 'PUT' || verb === 'POST') && !whole,
).filter(({ title }) => EVERYTHING || !title.endsWith('.update') || title.startsWith('bindingRules'))

/** Bodies in which one member is invalid. */
export const LARGE_BODIES: readonly LargeRequest[] = writes.flatMap((known) =>
  Object.entries(known.operation.body as Readonly<Record<string, AnyField>>).flatMap(([name, { schema }]): LargeRequest[] => {
    const at = (what: string, value: () => unknown): LargeRequest => ({
      title: `${known.title} with ${name} of ${what}`,
      prepare: (world) => {
        const body = { ...(world.body(known) as Members | undefined), [name]: value() }
        const bytes = new TextEncoder().encode(JSON.stringify(body))
        return () => world.send(known, bytes)
      },
    })
    if (schema['type'] === 'array') {
      const element = ELEMENTS[name] ?? (() => 'a')
      return [
        at('one element too many', () => many(TOO_MANY, element)),
        at('the maximum number of elements in a list', () => many(TOO_MANY - 1, element)),
        at('the maximum number of grants', () => many(MAX_GRANTS, element)),
        at('the maximum number of equal elements', () => many(TOO_MANY - 1, () => element(0))),
        at('a long string', () => 'x'.repeat(LONG)),
      ]
    }
    if (schema['type'] === 'object')
      return [
        at('many members', () => Object.fromEntries(many(20_000, (i) => `m${i}`).map((key) => [key, 'x']))),
        at('deeply nested members', () => JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)),
      ]
    return textsOf(name).map(([what, text]) => at(`many ${what}`, () => text(name === 'Rules' ? MAX_RULES_LENGTH : LONG)))
  }),
)

const operationCalled = (name: string) => EVERY_CONFIG_OPERATION.find(({ title }) => title === name) as KnownOperation

const DECISION = { Resource: 'service', Segment: 'web', Access: 'read' }

export const LARGE_DECISIONS: readonly LargeRequest[] = Object.entries({
  'more decisions than a list may have': () => many(TOO_MANY, () => DECISION),
  'one decision above the limit': () => many(65, () => DECISION),
  'a decision about a long segment': () => [{ ...DECISION, Segment: 'x'.repeat(LONG) }],
  'a decision about a long resource': () => [{ ...DECISION, Resource: 'x'.repeat(LONG) }],
}).map(([title, make]) => ({
  title,
  prepare: (world) => {
    const body = make()
    return () => world.send(operationCalled('acl.authorizeMany'), body)
  },
}))

const reads = EVERY_CONFIG_OPERATION.filter(({ operation: { verb } }) => verb === 'GET')

const LONG_TEXT = 'x'.repeat(100_000)

/** Every query parameter and header of every read, with a long string. */
export const LONG_PARAMETERS: readonly LargeRequest[] = reads.flatMap(({ title, operation }) => {
  const path = `/v1${operation.path}`
  const names = [...Object.keys(operation.fields), 'index', 'wait', 'token', 'filter', 'stale']
  return [
    ...names
      .filter((name) => !operation.path.includes(name))
      .map((name) => ({ what: name, query: { [name]: LONG_TEXT }, headers: {} })),
    ...['X-Config-Token', 'X-Config-Namespace', 'X-Config-Partition', 'Authorization'].map((header) => ({
      what: header,
      query: {},
      headers: { [header]: `Bearer ${LONG_TEXT}` },
    })),
  ].map(({ what, query, headers }) => ({
    title: `${title} with a long ${what}`,
    prepare:
      ({ service, reader }: OperationWorld) =>
      () =>
        service.handle({ method: 'GET', path, query, headers: { 'X-Config-Token': reader, ...headers } }),
  }))
})

/** Creates roles and policies of the maximum size. */
export async function makeLargeThings({ service }: OperationWorld): Promise<void> {
  const ServiceIdentities = many(MAX_GRANTS, (i) => ({ ServiceName: `s${i}`, Datacenters: ['dc1'] })) as never
  for (let i = 0; i < 10; i++) {
    await service.roles.create({ Name: `large-${i}`, ServiceIdentities })
    await service.policies.create({ Name: `large-${i}`, Rules: `# ${'x'.repeat(MAX_RULES_LENGTH)}` })
  }
}

/** Each read, plain and with indentation. */
export const READS: readonly LargeRequest[] = reads.flatMap((known) =>
  ['', '?pretty'].map((query) => ({
    title: `${known.title}${query}`,
    prepare: (world) => () => world.ask('GET', world.path(known, 'something') + query),
  })),
)

/** Tokens with the maximum number of grants of each kind. */
export const LARGE_GRANTS: Readonly<Record<string, () => object>> = {
  'service identities': () => ({ ServiceIdentities: many(MAX_GRANTS, (i) => ({ ServiceName: `s${i}` })) }),
  'node identities': () => ({ NodeIdentities: many(MAX_GRANTS, (i) => ({ NodeName: `n${i}`, Datacenter: 'dc1' })) }),
  'templated policies': () => ({
    TemplatedPolicies: many(MAX_GRANTS, (i) => ({ TemplateName: 'builtin/service', TemplateVariables: { name: `s${i}` } })),
  }),
}

/** A request with a new token that has these grants, none of which allows the request. */
export async function requestWithGrants(
  world: OperationWorld,
  grants: object,
): Promise<() => Promise<{ readonly status: number }>> {
  const { SecretID } = await world.service.tokens.create(grants as never)
  return () => world.send(operationCalled('roles.list'), undefined, 'something', SecretID)
}
