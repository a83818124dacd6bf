import { integer, type QueryParams, validation } from './params.ts'

/** The answer of an action. Its members have the names of the elements in AWS's XML. */
export interface ActionAnswer {
  readonly [name: string]: AnswerValue
}
export type AnswerValue = string | boolean | undefined | ActionAnswer | readonly AnswerValue[]

const DEFAULT_PAGE_ITEMS = 100

/**
 * Returns one page of a list.
 * @param name The member of the answer that contains the list.
 * @param pageLimit The maximum number of items, even if the request allows more.
 */
export function page(params: QueryParams, name: string, all: readonly AnswerValue[], pageLimit: number): ActionAnswer {
  const asked = integer(params, 'MaxItems', DEFAULT_PAGE_ITEMS)
  if (asked < 1 || asked > 1000) throw validation('MaxItems is not between 1 and 1000')
  const from = pageStart(params['Marker'])
  const to = from + Math.min(asked, pageLimit)
  return {
    [name]: all.slice(from, to),
    IsTruncated: to < all.length,
    ...(to < all.length && { Marker: `m${to}` }),
  }
}

function pageStart(marker: string | undefined): number {
  if (marker === undefined) return 0
  const at = /^m(\d{1,9})$/.exec(marker)?.[1]
  if (at === undefined) throw validation('Invalid Marker')
  return Number(at)
}

/** Formats a time, given in milliseconds, as IAM does: in whole seconds. */
export const dateText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
