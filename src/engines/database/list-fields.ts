/**
 * Pages of names.
 */
import type { ListOptions } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'

export const PAGE_FIELDS = {
  after: f.text('List names behind this one, which need not exist.').default(''),
  limit: f.int('The most names; 0 or less is all.').default(0),
}

export const pageOf = ({ after, limit }: { readonly after: string; readonly limit: number }): ListOptions => ({
  ...(after === '' ? {} : { after }),
  ...(limit > 0 ? { limit } : {}),
})
