/**
 * Splitters that lead to splitters, as one list of splits.
 */
import { invalid } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoted } from '../../../core/hcl/index.ts'
import type { Chain, SplitterNode } from './chain.ts'
import type { HeaderModifiers } from './entries-read.ts'

interface Modifiers {
  readonly RequestHeaders: HeaderModifiers | undefined
  readonly ResponseHeaders: HeaderModifiers | undefined
}

export interface FlatSplit extends Modifiers {
  /** Percent, in hundredths. */
  readonly Weight: number
  /** The key of a resolver in the chain. */
  readonly next: string
}

/** What reaches a place with the same modifiers, in hundredths of a percent. */
interface Share {
  readonly modifiers: Modifiers
  weight: number
}

/** Modifiers can differ on every path, and paths be many with few splitters. */
const MOST = 10_000

const SHARE_MICROSECONDS = 5

const WHOLE = 10_000

/**
 * The splits that a splitter of the chain comes to. What goes to the same place with the same modifiers is one split, so that only
 * modifiers make the list longer than the chain. @throws KernelError 400 where they make it longer than 10,000
 */
export function* flattenSplits(chain: Chain, key: string): Steps<readonly FlatSplit[]> {
  const pace = new Pace()
  const shares = new Map<string, Map<string, Share>>([[key, sharesOf({ weight: WHOLE, modifiers: NONE })]])
  const flat: FlatSplit[] = []
  let count = 0
  for (const splitter of yield* inOrder(chain, key, pace)) {
    for (const { modifiers, weight } of shares.get(splitter)?.values() ?? []) {
      for (const { split, next } of (chain.nodes.get(splitter) as SplitterNode).splits) {
        if (pace.spend(SHARE_MICROSECONDS)) yield
        const added = addShare(shares, next, {
          weight: Math.round((weight * Math.round(split.Weight * 100)) / WHOLE),
          modifiers: mergeModifiers(modifiers, split),
        })
        if (added && ++count > MOST)
          throw invalid(`the service-splitter of ${quoted(chain.service)} comes to more than ${MOST} splits`)
      }
    }
  }
  for (const [next, list] of shares) {
    if (chain.nodes.get(next)?.kind !== 'resolver') continue
    for (const { weight, modifiers } of list.values()) flat.push({ ...modifiers, Weight: weight / 100, next })
  }
  return flat
}

const NONE: Modifiers = { RequestHeaders: undefined, ResponseHeaders: undefined }

const modifiersKey = ({ RequestHeaders, ResponseHeaders }: Modifiers): string =>
  RequestHeaders || ResponseHeaders ? JSON.stringify([RequestHeaders, ResponseHeaders]) : ''

const sharesOf = (share: Share): Map<string, Share> => new Map([[modifiersKey(share.modifiers), share]])

/** Whether the list has grown. */
function addShare(shares: Map<string, Map<string, Share>>, next: string, share: Share): boolean {
  const list = shares.get(next)
  const key = modifiersKey(share.modifiers)
  const there = list?.get(key)
  if (there) there.weight += share.weight
  else if (list) list.set(key, share)
  else shares.set(next, sharesOf(share))
  return !there
}

/** The splitters that are reached, each behind all that lead to it. */
function* inOrder(chain: Chain, key: string, pace: Pace): Steps<readonly string[]> {
  const seen = new Set([key])
  const left: string[] = []
  const path = [{ key, at: 0 }]
  for (let top = path.at(-1); top; top = path.at(-1)) {
    if (pace.spend(1)) yield
    const node = chain.nodes.get(top.key)
    const split = node?.kind === 'splitter' ? node.splits[top.at++] : undefined
    if (!split) {
      left.push(top.key)
      path.pop()
    } else if (!seen.has(split.next) && chain.nodes.get(split.next)?.kind === 'splitter') {
      seen.add(split.next)
      path.push({ key: split.next, at: 0 })
    }
  }
  return left.reverse()
}

const mergeModifiers = (outer: Modifiers, inner: Partial<Modifiers>): Modifiers => ({
  RequestHeaders: mergeHeaders(outer.RequestHeaders, inner.RequestHeaders),
  ResponseHeaders: mergeHeaders(outer.ResponseHeaders, inner.ResponseHeaders),
})

/** Of two modifiers of one header the inner splitter's counts. */
function mergeHeaders(outer: HeaderModifiers | undefined, inner: HeaderModifiers | undefined): HeaderModifiers | undefined {
  if (!outer || !inner) return inner ?? outer
  return {
    Add: { ...outer.Add, ...inner.Add },
    Set: { ...outer.Set, ...inner.Set },
    Remove: [...new Set([...(outer.Remove ?? []), ...(inner.Remove ?? [])])],
  }
}
