/** Compares external secrets with their desired state. */
import { invalid, KernelError } from '../../core/base/errors.ts'
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import type { Drift } from './drift.ts'
import { SYNC_ASSOCIATION } from './records.ts'
import { SYNC_TRANSACTIONS, type SyncTransactions } from './sync-transactions.ts'
import { SYNC_TYPES, TYPE_ALIASES } from './types.ts'
import { markChanged, putAssociation } from './work/associations.ts'
import { type DriftReport, findDrift } from './work/find-drift.ts'

/** The number of associations that are compared together and changed in one commit. */
const ASSOCIATIONS_PER_PAGE = 24

const MAX_CONCURRENT_CALLS = 8

const MAX_LIMIT = 10_000

/** A call that has taken longer stops after the current page, and its response contains a cursor for the rest. */
const MAX_DURATION_MS = 20_000

/**
 * @throws KernelError 400 if `name` is given without `type`, if `limit` is out of range, or if `after` is neither empty nor the `next` of
 *   an earlier answer.
 * @throws KernelError 502 if an external store cannot be read.
 */
export const reconcile = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/sync/reconcile',
  summary: 'Compares external secrets with their desired state, and pushes those that differ.',
  fields: {
    type: f.oneOf(SYNC_TYPES, 'Compare only destinations of this type.', TYPE_ALIASES).optional(),
    name: f.name('Compare only the destination with this name; requires `type`.').optional(),
    dry_run: f.bool('Whether to report differences without pushing.').default(false),
    after: f.text('The `next` of the previous response. If empty, the call begins with the first association.').default(''),
    limit: f.int('The maximum number of associations that the call compares, 1 to 10,000.').default(1000),
  },
  returns: {
    checked: f.int('The number of external secrets that were compared.'),
    drift: f.json<readonly Drift[]>('External secrets that differ from their desired state.', {
      type: 'array',
      items: { type: 'object' },
    }),
    next: f.text('The cursor for the next call; absent after the last association.').optional(),
  },
  control: async ({ env, call }, { type, name, dry_run, after, limit }) => {
    if (limit < 1 || limit > MAX_LIMIT) throw invalid(`limit: must be from 1 to ${MAX_LIMIT}`)
    if (name !== undefined && type === undefined) throw invalid('type: is required with name')
    if (after.length > MAX_CURSOR_CHARACTERS) throw invalid('after: must be empty or the `next` of an earlier answer')
    const transactions = SYNC_TRANSACTIONS.of({ env })
    const prefix = [call.namespace.uuid, type, name].filter((part) => part !== undefined).join('/')
    const drift: Drift[] = []
    let checked = 0
    let left = limit
    let place = after
    const began = await transactions.read((tx) => tx.now)
    for (;;) {
      const page = await reconcilePage(transactions, `${prefix}/`, place, Math.min(ASSOCIATIONS_PER_PAGE, left), dry_run)
      checked += page.checked
      drift.push(...page.drift)
      left -= page.names.length
      place = page.names.at(-1) ?? place
      if (page.isLast) return { checked, drift }
      if (left <= 0 || (await transactions.read((tx) => tx.now)) - began > MAX_DURATION_MS) return { checked, drift, next: place }
    }
  },
})

const MAX_CURSOR_CHARACTERS = 4096

interface ReconcilePage extends DriftReport {
  readonly names: readonly string[]
  readonly isLast: boolean
}

async function reconcilePage(
  transactions: SyncTransactions,
  prefix: string,
  after: string,
  limit: number,
  dryRun: boolean,
): Promise<ReconcilePage> {
  const names = await transactions.read((tx) => tx.list(SYNC_ASSOCIATION, { prefix, limit, ...(after === '' ? {} : { after }) }))
  const compared: (DriftReport & { readonly id: string })[] = []
  const waiting = names.map((rest) => prefix + rest)
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
      compared.push({ id, ...(await findDrift(transactions, id)) })
  }
  const ended = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_CALLS }, work))
  for (const each of ended) if (each.status === 'rejected') throw storeError(each.reason)
  compared.sort((a, b) => (a.id < b.id ? -1 : 1))
  const differing = compared.filter(({ drift }) => drift.length > 0).map(({ id }) => id)
  if (!dryRun && differing.length > 0)
    await transactions.write((tx) => {
      for (const id of differing) {
        const association = tx.get(SYNC_ASSOCIATION, id)
        if (association) putAssociation(tx, id, { ...markChanged(tx, association), force: true })
      }
    })
  return {
    names,
    isLast: names.length < limit,
    checked: compared.reduce((sum, each) => sum + each.checked, 0),
    drift: compared.flatMap(({ drift }) => drift),
  }
}

/** Error messages of external stores are never shown to callers, because they may contain secrets. */
const storeError = (reason: unknown): KernelError =>
  reason instanceof KernelError
    ? reason
    : new KernelError('ERR_UPSTREAM', 'an external store failed or cannot be reached; this call returns no results, so repeat it')
