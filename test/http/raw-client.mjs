/**
 * A client that sends bytes and reads answers, for requests that no HTTP library would send. Plain JavaScript, so that every supported Node
 * can run it.
 */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The pause between two packets, so that the server reads them separately. */
const GAP_MS = 8

/** Only a connection that hangs takes this long. */
const MAX_WAIT_MS = 60_000

/**
 * Sends packets and reads answers until `answerCount` of them are there or the connection ends.
 * @returns {Promise<{ answers: { status: number, head: string, body: string }[], closed: boolean }>} `closed`: by the server.
 */
export async function converse(
  connect,
  packets,
  { answerCount = Number.POSITIVE_INFINITY, halfClose = false, patience = MAX_WAIT_MS } = {},
) {
  const socket = connect()
  socket.setNoDelay?.(true)
  let text = ''
  let closed = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    wake()
  })
  const ended = () => {
    closed = true
    wake()
  }
  socket.on('end', ended).on('close', ended).on('error', ended)
  for (const [index, packet] of packets.entries()) {
    if (index > 0) await sleep(GAP_MS)
    if (!socket.destroyed) socket.write(packet, 'latin1')
  }
  if (halfClose) socket.end()
  const until = Date.now() + patience
  while (!closed && answersIn(text).length < answerCount && Date.now() < until)
    await Promise.race([new Promise((resolve) => (wake = resolve)), sleep(until - Date.now(), undefined, { ref: false })])
  const answers = answersIn(text)
  // The server may close the connection shortly after the last answer.
  if (!closed) await sleep(GAP_MS)
  socket.destroy()
  return { answers, closed }
}

/** Waits for a condition. */
export async function until(holds) {
  for (const deadline = Date.now() + MAX_WAIT_MS; !(await holds()); await sleep(5))
    if (Date.now() > deadline) throw new Error(`waited in vain for ${holds}`)
}

/** Connects to a server on the loopback interface. */
export const tcp = (server) => () => net.connect(server.address().port, '127.0.0.1')

function answersIn(text) {
  const answers = []
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const head = rest.slice(0, end)
    const status = Number(head.slice(9, 12))
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    if (status === 100) {
      rest = rest.slice(end + 4)
      continue
    }
    if (rest.length < end + 4 + length) return answers
    answers.push({ status, head, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
}
