/** Flattens nested splitters into one list of splits. */
import { invalid } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { DiscoveryChain, SplitterNode } from './chain.ts'
import type { HeaderModifiers, ServiceSplit } from './graph-entries.ts'
import { MergedHeaders } from './merged-headers.ts'

export interface FlatSplit {
  /** Percent, a multiple of 0.01. */
  readonly Weight: number
  /** The key of a resolver in the chain. */
  readonly next: string
  readonly RequestHeaders: HeaderModifiers | undefined
  readonly ResponseHeaders: HeaderModifiers | undefined
}

/** The header modifiers of the splits on the path to a node, as a linked list. */
interface SplitPath {
  readonly id: number
  readonly split: ServiceSplit | undefined
  readonly before: SplitPath | undefined
}

/** The share of requests that reach a node on one path, in hundredths of a percent. */
interface Share {
  readonly passed: SplitPath
  weight: number
}

/**
 * The maximum number of shares. A few nested splitters can have very many paths, and each path with other header modifiers has its own
 * share.
 */
const MAX_SPLITS = 10_000

/** The maximum number of header modifiers in all splits together. One modifier changes one header. */
const MAX_HEADER_MODIFIERS = 100_000

const SHARE_MICROSECONDS = 5

const FULL_WEIGHT = 10_000

/**
 * Returns the flattened splits of a splitter. Paths with the same target and the same modifiers become one split.
 * @throws KernelError 400 if there are too many splits or header modifiers
 */
export function* flattenSplits(chain: DiscoveryChain, key: string): Steps<readonly FlatSplit[]> {
  const pace = new Pace()
  const shares = new Map([
    [key, new Map([[0, { passed: { id: 0, split: undefined, before: undefined }, weight: FULL_WEIGHT } as Share]])],
  ])
  let ids = 0
  let count = 0
  for (const splitter of yield* splittersInOrder(chain, key, pace)) {
    const { splits } = chain.nodes.get(splitter) as SplitterNode
    for (const { passed, weight } of shares.get(splitter)?.values() ?? []) {
      for (const { split, next } of splits) {
        if (pace.spend(SHARE_MICROSECONDS)) yield
        const after = split.RequestHeaders || split.ResponseHeaders ? { id: ++ids, split, before: passed } : passed
        if (!addShare(shares, next, { passed: after, weight: portion(weight, split) })) continue
        if (++count > MAX_SPLITS)
          throw invalid(`the service-splitter of ${quoteText(chain.service)} has more than ${MAX_SPLITS} splits in total`)
      }
    }
  }
  return yield* flatSplits(chain, shares, pace)
}

const portion = (weight: number, { Weight = 0 }: ServiceSplit): number =>
  Math.round((weight * Math.round(Weight * 100)) / FULL_WEIGHT)

/** Keyed by node, then by the id of the path. */
type Shares = Map<string, Map<number, Share>>

/** Adds the weight to the share with the same node and path. Returns true if there was no such share yet. */
function addShare(shares: Shares, next: string, share: Share): boolean {
  const list = shares.get(next) ?? new Map<number, Share>()
  const there = list.get(share.passed.id)
  if (there) there.weight += share.weight
  else shares.set(next, list.set(share.passed.id, share))
  return !there
}

function* flatSplits(chain: DiscoveryChain, shares: Shares, pace: Pace): Steps<readonly FlatSplit[]> {
  const flat: FlatSplit[] = []
  let modifiers = 0
  for (const [next, list] of shares) {
    if (chain.nodes.get(next)?.kind !== 'resolver') continue
    for (const { passed, weight } of list.values()) {
      const request = new MergedHeaders()
      const response = new MergedHeaders()
      for (let way: SplitPath | undefined = passed; way?.split; way = way.before) {
        modifiers += request.add(way.split.RequestHeaders) + response.add(way.split.ResponseHeaders)
        if (modifiers > MAX_HEADER_MODIFIERS)
          throw invalid(
            `the service-splitter of ${quoteText(chain.service)} has more than ${MAX_HEADER_MODIFIERS} header modifiers in total`,
          )
        if (pace.spend(SHARE_MICROSECONDS)) yield
      }
      flat.push({ Weight: weight / 100, next, RequestHeaders: request.value, ResponseHeaders: response.value })
    }
  }
  return flat
}

/** The reachable splitters in topological order: a splitter comes after all splitters that lead to it. */
function* splittersInOrder(chain: DiscoveryChain, key: string, pace: Pace): Steps<readonly string[]> {
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
