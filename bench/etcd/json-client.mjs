/** Calls of etcd's JSON gateway over kept connections, as anybody may write them without a driver. */
import { Agent, request } from 'node:http'
import { IN_FLIGHT } from '../in-flight.mjs'

export function jsonClient() {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const ask = (host, path, body, timeout) =>
    new Promise((resolve, reject) => {
      const sent = request(new URL(path, host), { method: 'POST', agent, timeout }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(JSON.parse(text))
          else reject(new Error(`${path}: ${response.statusCode} ${text}`))
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`${path}: no answer`)))
      sent.on('error', reject)
      sent.end(JSON.stringify(body))
    })
  return { ask, close: () => agent.destroy() }
}
