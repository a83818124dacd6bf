/**
 * service-splitter: by which shares requests to a service go elsewhere (configsvc.md 6.5).
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Pace, Steps } from '../../../core/base/steps.ts'
import { repeated } from '../common/distinct.ts'
import { HEADER_MODIFIERS } from '../common/header-modifiers.ts'
import { chainAccess, isOwn, type RelatedService } from '../common/related-services.ts'
import { fold } from '../graph/entries-read.ts'
import { type EntryOf, type EntryType, kind } from '../kind.ts'
import { float, kept, list, record, text } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

/** 100 percent. */
const WHOLE = 10_000

const SPLIT_MICROSECONDS = 2

/** Hundredths of a percent, counted in numbers of 32 bits as the originals do; zero has no sign. */
const hundredths = (weight: number): number => Math.round(Math.fround(Math.fround(weight) * 100)) + 0

const split = record(
  {
    Weight: kept(float()),
    Service: nameOfOther(),
    ServiceSubset: text(),
    Namespace: text(),
    Partition: text(),
    RequestHeaders: HEADER_MODIFIERS,
    ResponseHeaders: HEADER_MODIFIERS,
  },
  {
    normal: (value) => ({ ...value, Weight: hundredths(value.Weight ?? 0) / 100 }),
    rule: ({ Weight = 0 }, path) => {
      if (Weight < 0 || Weight > 100) throw invalid(`${path}.Weight: must be from 0 to 100`)
    },
  },
)

const members = { Splits: list(split) }

type Splitter = EntryOf<typeof members>

function* related(entry: Splitter): Iterable<RelatedService> {
  for (const { Service, Namespace } of entry.Splits ?? [])
    if (!isOwn(entry, Service, Namespace)) yield { name: Service || entry.Name, namespace: Namespace }
}

const ONCE = '; each destination may be named once'

function* checkSplits({ Name, Splits = [] }: Splitter, _path: string, pace: Pace): Steps<void> {
  if (Splits.length === 0) throw invalid('Splits: must hold at least one split')
  const seen = new Set<string>()
  for (const [index, { Service = Name, ServiceSubset = '', Namespace = '', Partition = '' }] of Splits.entries()) {
    if (pace.spend(SPLIT_MICROSECONDS)) yield
    const destination = JSON.stringify([fold(Service), ServiceSubset, Namespace, Partition])
    if (seen.has(destination)) throw repeated(`Splits[${index}]`, { Service, ServiceSubset, Namespace, Partition }, ONCE)
    seen.add(destination)
  }
  const sum = Splits.reduce((total, { Weight = 0 }) => total + hundredths(Weight), 0)
  if (sum !== WHOLE) throw invalid(`Splits: every Weight together must be 100, not ${sum / 100}`)
}

export const serviceSplitter = kind({ name: 'service-splitter', members, rule: checkSplits, ...chainAccess(related) })

export type ServiceSplitter = EntryType<typeof serviceSplitter>
