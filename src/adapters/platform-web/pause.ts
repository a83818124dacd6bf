/**
 * A later turn of the event loop. Browsers get there by a message to oneself, since a timer of 0 milliseconds waits for four after a few in
 * a row. Other runtimes have `setImmediate`, and there a message comes before timers, however many follow, and its port keeps the process.
 */
const waiting: (() => void)[] = []
let channel: InstanceType<typeof MessageChannel> | undefined

/** Made when it is first needed: importing this does nothing. */
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

const later: (wake: () => void) => unknown = typeof setImmediate === 'function' ? setImmediate : byMessage

export const pause = (): Promise<void> => new Promise((resolve) => later(resolve))
