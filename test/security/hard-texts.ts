/**
 * Texts that are hard for regular expressions with repetition, in every text field of every operation, in typed calls and calls by path.
 * The quick tier checks that they are answered. A measured file also checks that the work grows linearly with their length.
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

/** Units to repeat before the tail, which no grammar accepts. */
const UNITS = [
  ...['/', ' ', ',', '=', '.', '-', '+', '"', '\\', '\n', '{', '{{', '%'],
  ...['a', '0', 'a=', 'a.', 'a,', '1h', 'a/', '\u{1f511}', '"a":', 'YWFh', 'a\n'],
  ...['strongroom:v1:', '-----BEGIN A-----\n', 'path "a" {', '::ffff:'],
]
const TAIL = '!'

export const textOf = (unit: string, length: number): string => unit.repeat(length / unit.length) + TAIL

/** The ways to place a text in a field. */
function waysInto({ schema }: AnyField, view: 'typed' | 'path'): readonly ((text: string) => unknown)[] {
  if (schema['type'] === 'array') return view === 'typed' ? [(text) => [text]] : [(text) => text, (text) => [text]]
  if (schema['type'] === 'object') return [(text) => ({ [text]: 'a' }), (text) => ({ a: text })]
  if (schema['format'] === 'byte' && view === 'typed') return []
  return schema['type'] === 'string' || schema['format'] === 'seconds' ? [(text) => text] : []
}

/** Operations that seal the kernel or revoke the token of their caller. */
const LEFT_OUT = /^system (seal|stepDown)$|^token revoke/
/** Keys of the type that an operation needs, so that it reads its other texts. */
const NAMES: readonly (readonly [RegExp, object])[] = [
  [/^transit (sign|verify|signCsr|setCertificate)$/, { name: 'ec' }],
  [/^transit deriveKey$/, { name: 'derived', base_key_name: 'ec' }],
  [/^transit exportWrappedKey$/, { destination: 'ec', source: 'a' }],
  [/^orchestrator login$/, { role: 'a' }],
]

/** Calls an operation with a text in one of its fields, and returns the status. */
export type Ask = (text: string) => Promise<{ readonly status: number }>

export interface Texts {
  /** Every `each`th unit is tried; successive fields begin with different units. */
  readonly each: number
  /** Returns descriptions of the faults that a field shows for `units`. */
  readonly check: (ask: Ask, units: readonly string[]) => Promise<readonly string[]>
}

export function describeTexts({ each, check }: Texts): void {
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

  function asks(known: Known, name: string, field: AnyField): readonly (readonly [string, Ask])[] {
    const requiredNames = NAMES.find(([title]) => title.test(known.title))?.[1] ?? {}
    const method = methodOf(kernel.as(root), known)
    const headers = { 'X-Service-Token': root }
    const byPath = waysInto(field, 'path').map((inside): readonly [string, Ask] => [
      'by path',
      (text) => kernel.handle(requestOf(known, { ...requiredNames, [name]: inside(text) }, headers)),
    ])
    if (!method) return byPath
    const typed = waysInto(field, 'typed').map((inside): readonly [string, Ask] => [
      'typed',
      (text) => typedOutcome(() => method(completed(known, { ...requiredNames, [name]: inside(text) }, 'typed'))),
    ])
    return [...byPath, ...typed]
  }

  describe('a text that is hard for regular expressions', () => {
    const operations = EVERY_OPERATION.filter(({ title }) => !LEFT_OUT.test(title))

    it.each(operations.map((known) => [known.title, known] as const))('is handled in every field of %s', async (_, known) => {
      const wrong: string[] = []
      let way = 0
      for (const [name, field] of Object.entries(known.fields)) {
        for (const [view, ask] of asks(known, name, field)) {
          const units = UNITS.filter((_, at) => at % each === way % each)
          way++
          // Each patch begins with a small secret, because patches add members.
          const reset = () => kernel.kv2.at('kv2/').writeSecret({ path: 'a', data: { a: 'b' } })
          const send: Ask = known.operation.verb === 'PATCH' ? (text) => reset().then(() => ask(text)) : ask
          for (const fault of await check(send, units)) wrong.push(`${name} ${view}: ${fault}`)
        }
      }
      expect(wrong).toEqual([])
    })
  })
}
