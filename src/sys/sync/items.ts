/**
 * What is due in the lane `sync`, by the first part of its id.
 */

const TOPICS = { secret: 's/', association: 'a/', destination: 'd/', mount: 'm/', namespace: 'n/' } as const

export type Topic = keyof typeof TOPICS

/** The id of an item; short, since what follows may be as long as a key may be. */
export const itemOf = (topic: Topic, id: string): string => TOPICS[topic] + id

/** Undefined for what this release does not know. */
export function readItem(item: string): { readonly topic: Topic; readonly id: string } | undefined {
  const topic = (Object.keys(TOPICS) as Topic[]).find((each) => item.startsWith(TOPICS[each]))
  return topic && { topic, id: item.slice(TOPICS[topic].length) }
}
