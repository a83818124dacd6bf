/**
 * A service applies a random set of writes and deletions of config entries exactly if the rules of their kinds and a naive validator accept
 * it. A dry run gives the same result as the change. An accepted set is stored completely.
 */
import { expect, it } from 'vitest'
import type { OwnConfigService } from '../../src/config-service.ts'
import { createConfigService } from '../../src/config-service.ts'
import { ENTRY_KINDS } from '../../src/configsvc/entries/index.ts'
import type { ConfigEntryInput } from '../../src/configsvc/entries/operations/fields.ts'
import { type KernelError, memoryStorage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { type AnyEntry, EntrySet, type Wish } from '../fixtures/entry-set.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { outcome } from '../unit/configsvc/entries/outcome.ts'
import { naiveAccepts } from './configsvc-chains-naive.ts'
import { keyOf, link, SERVICES, together, wish, wishFor } from './configsvc-entry-sets.ts'

const RUNS = runs({ quick: 12, soak: 1000 })

type Json = Readonly<Record<string, unknown>>

/** Adds the members that the rules of each kind require and that the generated entries lack. */
const COMPLETED: Readonly<Record<string, (entry: AnyEntry) => Json>> = {
  'service-splitter': ({ Splits }) => ({
    Splits: Splits.map((split: Json, i: number) => ({ ...split, Weight: weight(i, Splits.length) })),
  }),
  'service-intentions': ({ Sources }) => ({ Sources: Sources.map(completedSource) }),
  'ingress-gateway': ({ Listeners }) => ({
    Listeners: Listeners.map((listener: Json, i: number) => ({ ...listener, Port: i + 1 })),
  }),
  'jwt-provider': () => ({ JSONWebKeySet: { Local: { Filename: 'keys.json' } } }),
}

/** Weights in percent that add up to exactly 100. */
const weight = (i: number, count: number): number => {
  const each = Math.floor(10_000 / count)
  return (i === 0 ? 10_000 - each * (count - 1) : each) / 100
}

const completedSource = ({ Permissions = [], ...source }: AnyEntry): Json => ({
  ...source,
  ...(Permissions.length > 0
    ? { Permissions: Permissions.map((permission: Json) => ({ ...permission, Action: 'allow', HTTP: { PathPrefix: '/' } })) }
    : { Action: 'allow' }),
})

const completed = (entry: AnyEntry): AnyEntry =>
  JSON.parse(JSON.stringify({ ...entry, ...COMPLETED[entry.Kind]?.(entry) })) as AnyEntry

/** Whether the rules of the entry's kind accept the change. */
const isRight = (wish: Wish): boolean => !('put' in wish) || typeof outcome(wish.put) !== 'string'

/** Whether the change has an effect. */
function changes({ entries }: EntrySet, wish: Wish): boolean {
  const before = entries.get(keyOf(wish))
  if (!('put' in wish)) return before !== undefined
  return before === undefined || JSON.stringify(outcome(before)) !== JSON.stringify(outcome(wish.put))
}

function naively(from: EntrySet, wishes: readonly Wish[]): boolean {
  if (!wishes.every(isRight)) return false
  const changing = wishes.filter((wish) => changes(from, wish))
  const written = new Set(changing.flatMap((wish) => ('put' in wish ? keyOf(wish) : [])))
  return changing.length === 0 || naiveAccepts(from.with(changing).entries, from.entries, SERVICES, written)
}

/** Returns the message of the refusal, or true. */
async function applyOutcome(service: OwnConfigService, wishes: readonly Wish[], dryRun: boolean): Promise<string | true> {
  const puts = wishes.flatMap((wish) => ('put' in wish ? [wish.put as unknown as ConfigEntryInput] : []))
  const gone = wishes.flatMap((wish) => ('put' in wish ? [] : [{ Kind: wish.delete.kind, Name: wish.delete.name }]))
  try {
    return (await service.entries.apply(puts, { delete: gone, dry_run: dryRun })) as true
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_(INVALID_REQUEST|NOT_FOUND|IN_USE)$/), status: 400 })
    return (error as KernelError).message
  }
}

/** All entries, by kind and name, without their indexes. */
async function allOf({ entries }: OwnConfigService): Promise<ReadonlyMap<string, Json>> {
  const all = new Map<string, Json>()
  for (const kind of ENTRY_KINDS.keys())
    for (const { CreateIndex: _create, ModifyIndex: _modify, ...entry } of await entries.list({ Kind: kind as 'mesh' }))
      all.set(`${kind}/${entry.Name}`.toLowerCase(), entry)
  return all
}

async function indexOf(service: OwnConfigService): Promise<number> {
  const { headers } = await service.handle({ method: 'GET', path: '/v1/config/mesh' })
  return Number(headers['X-Config-Index'])
}

it.each([
  { what: 'of every kind', wishes: together(wish, 4), most: 25 },
  { what: 'of long chains', wishes: together(wishFor(link), 2), most: 40 },
])(
  'sets of config entries $what are applied atomically if a naive validator accepts them, and dry runs predict the result',
  async ({ wishes: each, most }) => {
    const count = { yes: 0, no: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(each, { minLength: 1, maxLength: most, size: 'max' }), async (steps) => {
        const clock = fakeClock()
        await using service = await createConfigService({
          storage: memoryStorage(),
          plaintext: true,
          clock,
          acl: { enabled: false },
        })
        const first = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } } as const
        await service.entries.apply(first)
        let set = new EntrySet([first])
        for (const step of steps) {
          const wishes = step.map((wish): Wish => ('put' in wish ? { put: completed(wish.put) } : wish))
          if (!wishes.every(isRight)) continue
          const index = await indexOf(service)
          const foretold = await applyOutcome(service, wishes, true)
          expect(await indexOf(service)).toBe(index)
          const is = await applyOutcome(service, wishes, false)
          expect(is).toEqual(foretold)
          expect(is === true, JSON.stringify({ is, wishes, set: [...set.entries.values()] })).toBe(naively(set, wishes))
          count[is === true ? 'yes' : 'no']++
          const moved = is === true && wishes.some((wish) => changes(set, wish))
          expect(await indexOf(service)).toBe(moved ? index + 1 : index)
          if (is === true) set = set.with(wishes)
        }
        const kept = new Map([...set.entries].map(([key, entry]) => [key, outcome(entry)]))
        expect(await allOf(service)).toEqual(kept)
      }),
      { numRuns: RUNS },
    )
    // The property says little unless both outcomes are frequent.
    expect(count.yes).toBeGreaterThan(count.no / 10)
    expect(count.no).toBeGreaterThan(count.yes / 10)
  },
  600_000,
)
