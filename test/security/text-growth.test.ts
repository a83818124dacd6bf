/**
 * What a text costs grows with its length and not with its square: every text of every operation, in both views, in shapes that expressions
 * with repetition stumble over. Time is that of the processor.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyField } from '../../src/core/field/field.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import {
  completed,
  EVERY_OPERATION,
  type Known,
  methodOf,
  mountAll,
  requestOf,
  typedOutcome,
} from '../fixtures/every-operation.ts'
import { MEASURED } from '../fixtures/measured.ts'

const SLOW = Boolean(process.env['SLOW'])
const SHORTEST = 1024
const LONGEST = SLOW ? 1 << 20 : 1 << 15
/** A text four times as long takes four times as long; one that is walked anew from every place takes sixteen times. */
const MOST_GROWTH = 8
/** Below this, clocks and collectors count for more than texts: what grows with the square is far above it at the longest. */
const NOTICEABLE_MS = 8

/** What is repeated, in front of something that fits nowhere. */
const UNITS = [
  ...['/', ' ', ',', '=', '.', '-', '+', '"', '\\', '\n', '{', '{{', '%'],
  ...['a', '0', 'a=', 'a.', 'a,', '1h', 'a/', '\u{1f511}', '"a":', 'YWFh', 'a\n'],
  ...['strongroom:v1:', '-----BEGIN A-----\n', 'path "a" {', '::ffff:'],
]
const TAIL = '!'

/** Without SLOW each way into a field takes the next third of them: what reads them is shared. */
const unitsOf = (way: number): readonly string[] => UNITS.filter((_, at) => SLOW || at % 3 === way % 3)

/** The ways a text gets into a field. */
function waysInto({ schema }: AnyField, view: 'typed' | 'path'): readonly ((text: string) => unknown)[] {
  if (schema['type'] === 'array') return view === 'typed' ? [(text) => [text]] : [(text) => text, (text) => [text]]
  if (schema['type'] === 'object') return [(text) => ({ [text]: 'a' }), (text) => ({ a: text })]
  if (schema['format'] === 'byte' && view === 'typed') return []
  return schema['type'] === 'string' || schema['format'] === 'seconds' ? [(text) => text] : []
}

/** They would end the run for all others, or take the token that asks with them. */
const LEFT_OUT = /^system (seal|stepDown)$|^token revoke/
/** Keys of the kind that an operation is about, so that its texts are looked at. */
const NAMES: readonly (readonly [RegExp, object])[] = [
  [/^transit (sign|verify|signCsr|setCertificate)$/, { name: 'ec' }],
  [/^transit deriveKey$/, { name: 'derived', base_key_name: 'ec' }],
  [/^transit exportWrappedKey$/, { destination: 'ec', source: 'a' }],
  [/^orchestrator login$/, { role: 'a' }],
]

let kernel: Kernel
let root = ''
beforeAll(async () => {
  kernel = await createDevKernel()
  root = kernel.rootToken as string
  await mountAll(kernel, true)
  const { transit, kv, kv2, policies, tokens, orchestrator } = kernel
  await transit.createKey({ name: 'a', exportable: true })
  await transit.createKey({ name: 'ec', type: 'ecdsa-p256', exportable: true })
  const { keys } = await transit.readKey({ name: 'ec' })
  await kv.writeSecret({ path: 'a', data: { a: 'b' } })
  await kv2.at('kv2/').writeSecret({ path: 'a', data: { a: 'b' } })
  await policies.writePolicy({ name: 'a', policy: 'path "a" { capabilities = ["read"] }' })
  await policies.writePasswordPolicy({ name: 'a', policy: 'length = 8\nrule "charset" { charset = "abc" }' })
  await tokens.writeRole({ role_name: 'a' })
  const { public_key } = keys['1'] as { readonly public_key: string }
  await orchestrator.configure({ orchestrator_host: 'https://a', pem_keys: [public_key] })
  await orchestrator.writeRole({ name: 'a', bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] })
})
afterAll(() => kernel.close())

type Ask = (text: string) => Promise<unknown>

async function cost(ask: Ask, text: string): Promise<number> {
  const before = process.cpuUsage()
  await ask(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function best(ask: Ask, text: string): Promise<number> {
  return Math.min(await cost(ask, text), await cost(ask, text), await cost(ask, text))
}

const shape = (unit: string, length: number): string => unit.repeat(length / unit.length) + TAIL

/** The length from which on it takes too long; undefined where it grows as it should, as nearly always: then two looks are enough. */
async function growsFrom(ask: Ask, unit: string): Promise<number | undefined> {
  const quick = async (length: number) => (await cost(ask, shape(unit, length))) < NOTICEABLE_MS
  if ((await quick(LONGEST / 8)) && (await quick(LONGEST))) return undefined
  const costs: number[] = []
  for (let length = SHORTEST; length <= LONGEST; length *= 2) {
    const now = await best(ask, shape(unit, length))
    if (now > NOTICEABLE_MS && now > MOST_GROWTH * (costs.at(-2) ?? now)) return length
    costs.push(now)
  }
  return undefined
}

function asks(known: Known, name: string, field: AnyField): readonly (readonly [string, Ask])[] {
  const beside = NAMES.find(([title]) => title.test(known.title))?.[1] ?? {}
  const method = methodOf(kernel.as(root), known)
  const headers = { 'X-Service-Token': root }
  const byPath = waysInto(field, 'path').map((inside): readonly [string, Ask] => [
    'by path',
    (text) => kernel.handle(requestOf(known, { ...beside, [name]: inside(text) }, headers)),
  ])
  if (!method) return byPath
  const typed = waysInto(field, 'typed').map((inside): readonly [string, Ask] => [
    'typed',
    (text) => typedOutcome(() => method(completed(known, { ...beside, [name]: inside(text) }, 'typed'))),
  ])
  return [...byPath, ...typed]
}

describe('what a text costs', MEASURED, () => {
  const operations = EVERY_OPERATION.filter(({ title }) => !LEFT_OUT.test(title))

  it.each(operations.map((known) => [known.title, known] as const))(
    'in %s grows with its length',
    { timeout: 600_000 },
    async (_, known) => {
      const wrong: string[] = []
      let way = 0
      for (const [name, field] of Object.entries(known.fields)) {
        for (const [view, ask] of asks(known, name, field)) {
          for (const unit of unitsOf(way++)) {
            // Patches add members: without this each would be merged into all that came before.
            await kernel.kv2.at('kv2/').writeSecret({ path: 'a', data: { a: 'b' } })
            const from = await growsFrom(ask, unit)
            if (from !== undefined) wrong.push(`${name} ${view}: ${JSON.stringify(unit)} from ${from} characters on`)
          }
        }
      }
      expect(wrong).toEqual([])
    },
  )
})
