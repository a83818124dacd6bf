/** The due items of the lane `sync`. The first part of the id is the topic. */

const TOPICS = { secret: 's/', association: 'a/', destination: 'd/', mount: 'm/', namespace: 'n/' } as const

export type Topic = keyof typeof TOPICS

/** The prefix is short, because the rest of the id may have the maximum length of a key. */
export const itemOf = (topic: Topic, id: string): string => TOPICS[topic] + id

/** Undefined for a topic that only a newer release knows. */
export function readItem(item: string): { readonly topic: Topic; readonly id: string } | undefined {
  const topic = (Object.keys(TOPICS) as Topic[]).find((each) => item.startsWith(TOPICS[each]))
  return topic && { topic, id: item.slice(TOPICS[topic].length) }
}
