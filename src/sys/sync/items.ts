/**
 * The ids of scheduled background work (due items) in the queue `sync`. Each id begins with a prefix for its topic: what the work concerns.
 */

const TOPICS = { secret: 's/', association: 'a/', destination: 'd/', mount: 'm/', namespace: 'n/' } as const

export type Topic = keyof typeof TOPICS

/**
 * Returns the id under which work is scheduled. The prefix for the topic is short, because `id` alone may be nearly as long as a key can
 * be.
 */
export const itemOf = (topic: Topic, id: string): string => TOPICS[topic] + id

/** Returns undefined if the item's topic is unknown, because a newer release wrote the item. */
export function readItem(item: string): { readonly topic: Topic; readonly id: string } | undefined {
  const topic = (Object.keys(TOPICS) as Topic[]).find((each) => item.startsWith(TOPICS[each]))
  return topic && { topic, id: item.slice(TOPICS[topic].length) }
}
