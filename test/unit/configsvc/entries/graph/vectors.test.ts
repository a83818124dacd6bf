/**
 * The vectors of config entries that are about several entries. Where the folder is absent they skip.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../../src/core/base/errors.ts'
import { type AnyEntry, EntrySet, type Wish } from '../../../../fixtures/entry-set.ts'

const FOLDER = new URL('../../../../../../shared/vectors/config-entries/', import.meta.url)

interface Case {
  readonly what: string
  readonly with?: readonly AnyEntry[]
  readonly entry?: AnyEntry
  readonly delete?: { readonly Kind: string; readonly Name: string }
  readonly result: string
  readonly field?: string
}

const present = existsSync(FOLDER)

const cases = present
  ? readdirSync(FOLDER)
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => {
        const { kind, cases: all } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { kind: string; cases: Case[] }
        // Other refusals are decided by the entry alone.
        const concerned = (one: Case) =>
          /^graph:|permissive/.test(one.what) || (one.with !== undefined && one.result !== 'refused')
        return all.filter(concerned).map((one) => ({ kind, ...one }))
      })
  : []

/** As they are stored: protocols in lower case, and a certain name for the entry of exports. */
const normalised = (entry: AnyEntry): AnyEntry => ({
  ...entry,
  ...(typeof entry['Protocol'] === 'string' && { Protocol: entry['Protocol'].toLowerCase() }),
})

const wishOf = ({ entry, delete: gone }: Case): Wish =>
  entry ? { put: normalised(entry) } : { delete: { kind: gone?.Kind as string, name: gone?.Name as string } }

const plain = (text: string): string => text.toLowerCase().replaceAll(/[_\s-]/g, '')

const title = `vectors of several entries${present ? '' : ' (skipped: the folder shared/vectors/config-entries is absent)'}`

describe.skipIf(!present)(title, () => {
  it.each(cases)('$kind, $what', (one) => {
    const set = (one.with ?? []).reduce((before, entry) => before.put(normalised(entry)), new EntrySet())
    let refusal: unknown
    try {
      set.apply(wishOf(one))
    } catch (error) {
      refusal = error
    }
    if (one.result !== 'refused') return expect(refusal).toBeUndefined()
    expect(refusal).toBeInstanceOf(KernelError)
    expect(refusal).toHaveProperty('status', 400)
    const text = plain((refusal as KernelError).message)
    const fields = (one.field ?? '').split(' or ').map((field) => plain(field).replace(/s$/, ''))
    expect(
      fields.some((field) => text.includes(field)),
      `${text} names ${one.field}`,
    ).toBe(true)
  })

  it('are there', () => expect(cases.length).toBeGreaterThan(40))
})
