/**
 * The largest input of every operation, generated from its definition: one case for each field and each kind of large value.
 */

import type { AnyOperation } from '../../src/core/contract/operation.ts'
import type { AnyField, Fields } from '../../src/core/field/field.ts'
import { kv2 } from '../../src/engines/kv/index.ts'
import type { Kernel } from '../../src/index.ts'
import { ENGINES } from '../fixtures/all-engines.ts'

export interface Case {
  readonly name: string
  readonly type: string
  readonly method: string
  readonly operation: AnyOperation
  readonly path: string
  /** A function, because bodies are large and must not stay in memory. */
  readonly body: () => Readonly<Record<string, unknown>>
}

/** The mount path of each engine type. */
const PLACES: Readonly<Record<string, string>> = {
  transit: 'transit/',
  kv: 'secret/',
  database: 'database/',
  cloud: 'cloud/',
  cubbyhole: 'cubbyhole/',
  orchestrator: 'auth/orchestrator/',
  system: 'sys/',
  token: 'auth/token/',
  identity: 'identity/',
}

/** The number of members of a list or map, and the number of characters of a string. */
export interface Size {
  readonly many: number
  readonly long: number
}

type Shape = (size: Size) => unknown

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `name${i}`)
const map = (count: number, value: (i: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, value(i)]))

const text: Shape = ({ long }) => 'abcd'.repeat(long / 4)
const manyTexts: Shape = ({ many }) => names(many)
const longTexts: Shape = ({ long }) => Array.from({ length: 16 }, () => 'abcd'.repeat(long / 64))
const commas: Shape = ({ many }) => names(many).join(',')
const manyMembers: Shape = ({ many }) => map(many, (i) => i)
const textMembers: Shape = ({ many }) => map(many, (i) => `text ${i}`)
const longMember: Shape = ({ long }) => ({ member: 'abcd'.repeat(long / 4) })
const nested: Shape = ({ many }) => map(Math.ceil(many / 100), () => map(50, (i) => ({ [`inner${i}`]: i })))
const lists: Shape = ({ many }) => ({ list: Array.from({ length: many }, (_, i) => i) })
const numbers: Shape = ({ many }) => Array.from({ length: many }, (_, i) => i)

const SHAPES: Readonly<Record<string, readonly (readonly [string, Shape])[]>> = {
  string: [['a long text', text]],
  array: [
    ['many texts', manyTexts],
    ['many numbers', numbers],
    ['long texts', longTexts],
    ['many comma-separated values', commas],
  ],
  object: [
    ['many members', manyMembers],
    ['many texts by name', textMembers],
    ['many nested members', nested],
    ['a long list', lists],
    ['a long member', longMember],
  ],
}

/** A small valid value of a field, so that a request is not refused before its large value is read. */
function small(name: string, { schema }: AnyField): unknown {
  const { type, format, enum: words } = schema as { type?: string; format?: string; enum?: readonly string[] }
  if (name === 'type') return 'kv'
  if (name === 'policy') return 'path "a" { capabilities = ["read"] }'
  if (words) return words[0]
  if (format === 'byte') return 'QUJD'
  if (type === 'integer') return 1
  if (type === 'boolean') return true
  if (type === 'array') return ['a']
  if (type === 'object') return { a: 'b' }
  return 'a'
}

const smallOnes = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { required }]) => required)
      .map(([name, field]) => [name, small(name, field)]),
  )

/** One case for every field of every operation. Fields that are part of the path are excluded. */
export function allCases(size: Size): readonly Case[] {
  const engines = [...ENGINES.map(({ type, operations }) => ({ type, operations, at: PLACES[type] ?? '' }))]
  engines.push({ type: 'kv2', operations: kv2.operations as never, at: 'kv2/' })
  return engines.flatMap(({ type, operations, at }) =>
    Object.entries(operations as Readonly<Record<string, AnyOperation>>).flatMap(([method, operation]) =>
      casesOf(type, method, operation, at, size),
    ),
  )
}

/** Operations that would end the run: sealing and stepping down. */
const ENDS = /^\/(?:seal|step-down)$/

function casesOf(type: string, method: string, operation: AnyOperation, at: string, size: Size): readonly Case[] {
  const { path, fields, verb } = operation
  if (ENDS.test(path)) return []
  const inPath = new Set([...path.matchAll(/[:*+](\w+)/g)].map(([, name]) => name as string))
  const fullPath =
    at +
    path
      .slice(1)
      .replaceAll(/[()]/g, '')
      .replaceAll(/[:*+]\w+/g, 'a')
  const own = operation.batch ? { ...fields, ...operation.item } : fields
  const sent: Fields = Object.fromEntries(Object.entries<AnyField>(own).filter(([name]) => !inPath.has(name)))
  const made = (what: string, body: Case['body']): Case => {
    const name = `${verb} ${at}${path.slice(1)}: ${what}`
    return { name, type, method, operation, path: fullPath, body }
  }
  const whole = operation.batch ? undefined : operation.body
  const cases: Case[] = []
  for (const [name, field] of Object.entries(sent)) {
    for (const [what, shape] of SHAPES[String(field.schema['type'])] ?? []) {
      cases.push(
        name === whole
          ? made(what, () => shape(size) as Readonly<Record<string, unknown>>)
          : made(`${name}, ${what}`, () => ({ ...smallOnes(sent), [name]: shape(size) })),
      )
    }
  }
  if (verb === 'POST' || verb === 'PATCH')
    cases.push(made('unknown members', () => ({ ...smallOnes(sent), ...(manyMembers(size) as object) })))
  if (operation.batch) {
    const item = { ...smallOnes(operation.item) }
    const items = Array.from({ length: size.many / 4 }, () => item)
    cases.push(made('a large batch', () => ({ ...smallOnes(fields), batch_input: items })))
  }
  return cases
}

type View = ReturnType<Kernel['as']>
type Method = (args: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The facades of an engine type. */
const facades = (view: View, type: string): readonly object[] => {
  if (type === 'system')
    return [
      view.policies,
      view.mounts,
      view.namespaces,
      view.wrapping,
      view.leases,
      view.audit,
      view.plugins,
      view.rekey,
      view.generateRoot,
    ]
  if (type === 'kv2') return [view.kv2.at('kv2/')]
  const { transit, kv, database, cloud, cubbyhole, orchestrator, tokens, identity } = view
  return [{ transit, kv, database, cloud, cubbyhole, orchestrator, token: tokens, identity }[type] as object]
}

/** The typed call of a case, or undefined if there is no such method. */
export function typedOf(view: View, { type, method, operation, body }: Case): (() => Promise<unknown>) | undefined {
  const facade = facades(view, type).find((each) => method in each) as Readonly<Record<string, Method>> | undefined
  if (!facade) return undefined
  const own: Fields = operation.batch ? { ...operation.fields, ...operation.item } : operation.fields
  const sent = body()
  const whole = operation.batch ? undefined : operation.body
  const named = whole === undefined ? sent : { [whole]: sent }
  const captured = Object.fromEntries([...operation.path.matchAll(/[:*+](\w+)/g)].map(([, name]) => [name as string, 'a']))
  const known = Object.entries({ ...captured, ...named }).filter(([name]) => name in own)
  const args = Object.fromEntries(known.map(([name, value]) => [name, domainValue(own[name] as AnyField, value)]))
  return () => (facade[method] as Method).call(facade, args)
}

/** Typed calls take bytes instead of base64. */
const domainValue = ({ schema }: AnyField, value: unknown): unknown =>
  schema['format'] === 'byte' && typeof value === 'string' ? Buffer.from(value, 'base64') : value

/** List and map parameters by name, without the documents that operations store. */
export function countedFields(): readonly (readonly [string, AnyField])[] {
  return allCases({ many: 0, long: 0 }).flatMap(({ name, operation }) => {
    const own: Fields = operation.batch ? { ...operation.fields, ...operation.item } : operation.fields
    return Object.entries(own)
      .filter(([member, { schema, isLong }]) => {
        const counted = schema['type'] === 'array' || schema['type'] === 'object'
        return counted && !isLong && name.includes(`: ${member}, many texts`)
      })
      .map(([member, field]) => [`${name.split(':')[0]} ${member}`, field] as const)
  })
}
