/** Sends a mix of requests with several workers, each of which sends its next request when the answer has arrived. */
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'

/** As many as vault-benchmark has by default. */
const WORKERS = 10

/** A client with one connection for each worker. */
export class Client {
  #agent = new Agent({ keepAlive: true, maxSockets: WORKERS })
  #address
  #headers

  constructor({ address, token }) {
    this.#address = address
    this.#headers = { 'X-Vault-Token': token }
  }

  /** @returns {Promise<{ status: number, text: string }>} */
  send({ method, path, body }) {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? this.#headers : { ...this.#headers, 'Content-Length': Buffer.byteLength(body) }
      const sent = request(`${this.#address}/v1/${path}`, { method, headers, agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode, text }))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** The `data` of an answer that must not be an error. */
  async call(asked) {
    const { status, text } = await this.send(asked)
    if (status >= 300) throw new Error(`${asked.path}: ${status} ${text}`)
    return text === '' ? undefined : JSON.parse(text).data
  }

  close() {
    this.#agent.destroy()
  }
}

/**
 * @param {Client} client
 * @param {readonly { name: string, weight: number, next: () => object }[]} mix The weights add up to 100.
 * @returns the milliseconds of each answer, and the number of errors, by the name of the operation
 */
export async function runMix(client, mix, seconds) {
  const results = new Map(mix.map(({ name }) => [name, { times: [], errors: 0 }]))
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      while (performance.now() < end) {
        const { name, next } = chosen(mix)
        const began = performance.now()
        const { status } = await client.send(next())
        const result = results.get(name)
        result.times.push(performance.now() - began)
        if (status >= 300) result.errors++
      }
    }),
  )
  return results
}

function chosen(mix) {
  let rest = Math.random() * 100
  for (const kind of mix) {
    if (rest < kind.weight) return kind
    rest -= kind.weight
  }
  return mix[mix.length - 1]
}
