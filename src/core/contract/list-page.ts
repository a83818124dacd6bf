import { f } from '../field/fields.ts'
import type { ListOptions } from './tx.ts'

/** Fields of operations that list names in pages. */
export const PAGE_FIELDS = {
  after: f.text('List names after this one; it need not exist.').default(''),
  limit: f.int('The maximum number of names; 0 or less means all.').default(0),
}

export const pageOptions = ({ after, limit }: { readonly after: string; readonly limit: number }): ListOptions => ({
  ...(after === '' ? {} : { after }),
  ...(limit > 0 ? { limit } : {}),
})
