/** service-splitter: which shares of the requests for a service go to which services or subsets. */
import { invalid } from '../../../core/base/errors.ts'
import { duplicateItem } from '../common/distinct.ts'
import { HEADER_MODIFIERS } from '../common/header-modifiers.ts'
import { chainAccess, isOwnService, type RelatedService } from '../common/related-services.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import { defineKind, type EntryType, type NormalizedEntryOf } from '../kind.ts'
import { float, keepZero, list, record, text } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

/** 100 percent. */
const FULL_WEIGHT = 10_000

/** Hundredths of a percent, computed with 32-bit floats as in Consul. Adding 0 turns -0 into 0. */
const hundredths = (weight: number): number => Math.round(Math.fround(Math.fround(weight) * 100)) + 0

const split = record(
  {
    Weight: keepZero(float()),
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

type Splitter = NormalizedEntryOf<typeof members>

function* related(entry: Splitter): Iterable<RelatedService> {
  for (const { Service, Namespace } of entry.Splits ?? [])
    if (!isOwnService(entry, Service, Namespace)) yield { name: Service || entry.Name, namespace: Namespace }
}

const ONCE = '; each destination may be named only once'

function checkSplits({ Name, Splits = [] }: Splitter): void {
  if (Splits.length === 0) throw invalid('Splits: must contain at least one split')
  const seen = new Set<string>()
  for (const [index, { Service = Name, ServiceSubset = '', Namespace = '', Partition = '' }] of Splits.entries()) {
    const destination = JSON.stringify([foldEntryName(Service), ServiceSubset, Namespace, Partition])
    if (seen.has(destination)) throw duplicateItem(`Splits[${index}]`, { Service, ServiceSubset, Namespace, Partition }, ONCE)
    seen.add(destination)
  }
  const sum = Splits.reduce((total, { Weight = 0 }) => total + hundredths(Weight), 0)
  if (sum !== FULL_WEIGHT) throw invalid(`Splits: the sum of all Weight must be 100, not ${sum / 100}`)
}

export const serviceSplitter = defineKind({ name: 'service-splitter', members, rule: checkSplits, ...chainAccess(related) })

export type ServiceSplitter = EntryType<typeof serviceSplitter>
