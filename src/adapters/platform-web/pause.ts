/**
 * Resolves in a later turn of the event loop.
 *
 * In browsers, a message that this module posts to itself ends the pause. A timer would be slower: after a few timers of 0 milliseconds in
 * a row, browsers delay each further timer by 4 milliseconds. In other runtimes, `setImmediate` ends the pause. There, a series of messages
 * would hold up all timers, and the open port would keep the process alive.
 */
const waiting: (() => void)[] = []
let channel: InstanceType<typeof MessageChannel> | undefined

/** Created when it is first used, because importing this module must have no effect. */
function open(): InstanceType<typeof MessageChannel> {
  const made = new MessageChannel()
  Object.assign(made.port1, { onmessage: () => waiting.shift()?.() })
  return made
}

function byMessage(wake: () => void): void {
  waiting.push(wake)
  channel ??= open()
  channel.port2.postMessage(undefined)
}

/** @param immediate `setImmediate`; undefined if the runtime has none. */
export function pauseBy(immediate: ((wake: () => void) => unknown) | undefined): () => Promise<void> {
  const later = immediate ?? byMessage
  return () => new Promise((resolve) => later(resolve))
}

export const pause = /* @__PURE__ */ pauseBy(globalThis.setImmediate)

/** This platform has no limit per turn: all further long work pauses before it begins. */
export const isTurnSpent = (): boolean => true
