/**
 * Resolves in a later turn of the event loop. Browsers send a message to themselves, because a timer of 0 milliseconds waits for four after
 * a few in a row. Other runtimes have `setImmediate`; there, messages come before timers, however many follow, and an open port keeps the
 * process alive.
 */
const waiting: (() => void)[] = []
let channel: InstanceType<typeof MessageChannel> | undefined

/** Created at first use, because importing this module has no effect. */
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
