/**
 * The ids of scheduled background work (due items) in the queue `sync`. Each id begins with a prefix for its topic: what the work concerns.
 */

interface TopicRules {
  readonly prefix: string
  /** The segment of the id after the prefix, counted from 0, that is the UUID of the mount or namespace to which the work belongs. */
  readonly ownerAt: number
}

const TOPICS = {
  secret: { prefix: 's/', ownerAt: 0 },
  association: { prefix: 'a/', ownerAt: 3 },
  destination: { prefix: 'd/', ownerAt: 0 },
  mount: { prefix: 'm/', ownerAt: 0 },
  namespace: { prefix: 'n/', ownerAt: 0 },
} as const satisfies Readonly<Record<string, TopicRules>>

export type Topic = keyof typeof TOPICS

/**
 * Returns the id under which work is scheduled. The prefix for the topic is short, because `id` alone may be nearly as long as a key can
 * be.
 */
export const itemOf = (topic: Topic, id: string): string => TOPICS[topic].prefix + id

/** Returns undefined if the item's topic is unknown, because a newer release wrote the item. */
export function readItem(item: string): { readonly topic: Topic; readonly id: string } | undefined {
  const topic = (Object.keys(TOPICS) as Topic[]).find((each) => item.startsWith(TOPICS[each].prefix))
  return topic && { topic, id: item.slice(TOPICS[topic].prefix.length) }
}

/** Returns the UUID of the mount or namespace to which the item belongs; undefined if the item's topic is unknown. */
export function ownerOfItem(item: string): string | undefined {
  const found = readItem(item)
  if (!found) return undefined
  const { ownerAt } = TOPICS[found.topic]
  return found.id.split('/', ownerAt + 1)[ownerAt]
}
