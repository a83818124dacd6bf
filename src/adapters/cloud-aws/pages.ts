import { AwsError } from './failure.ts'
import type { PagedOutput } from './sdk.ts'

/** The maximum page size that IAM allows. A page may have fewer items. */
export const MAX_PAGE_ITEMS = 1000

/** No list of IAM reaches these limits, so a longer list means that the server repeats pages. */
const MAX_PAGES = 1000
const MAX_LIST_ITEMS = 10_000

/** Returns the items of all pages. @throws AwsError `unknown` if the list does not end. */
export async function allPages<P extends PagedOutput, T>(
  ask: (marker: { readonly Marker?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly T[] | undefined,
): Promise<readonly T[]> {
  const items: T[] = []
  let marker: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await ask(marker === undefined ? {} : { Marker: marker })
    items.push(...(itemsOf(page) ?? []))
    if (items.length > MAX_LIST_ITEMS) break
    if (page.IsTruncated !== true) return items
    if (page.Marker === undefined || page.Marker === '' || page.Marker === marker) break
    marker = page.Marker
  }
  throw new AwsError('unknown', 'EndlessList')
}
