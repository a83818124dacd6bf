/** A later turn of the event loop: a message to oneself, since a timer of 0 milliseconds waits for four after a few in a row. */
const waiting: (() => void)[] = []
const { port1, port2 } = new MessageChannel()
Object.assign(port1, { onmessage: () => waiting.shift()?.() })

export function pause(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    port2.postMessage(undefined)
  })
}
