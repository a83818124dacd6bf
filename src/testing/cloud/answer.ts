/**
 * What actions of the fake cloud answer: members as the XML has them. Lists are cut into pages.
 */
import { integer, type QueryParams, validation } from './params.ts'

export interface ActionAnswer {
  readonly [name: string]: AnswerValue
}
export type AnswerValue = string | boolean | undefined | ActionAnswer | readonly AnswerValue[]

const DEFAULT_PAGE_ITEMS = 100

/** @param name The member that holds the list. @param most Things a page at most, whatever is asked for. */
export function page(params: QueryParams, name: string, all: readonly AnswerValue[], most: number): ActionAnswer {
  const asked = integer(params, 'MaxItems', DEFAULT_PAGE_ITEMS)
  if (asked < 1 || asked > 1000) throw validation('MaxItems is not between 1 and 1000')
  const from = pageStart(params['Marker'])
  const to = from + Math.min(asked, most)
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

/** A date as IAM writes it: whole seconds. */
export const dateText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
