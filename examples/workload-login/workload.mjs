/**
 * A program that has the token of its service account and the address of the application. It requests all other data over HTTP.
 */

/** Logs in, and returns a client that uses the received token. @throws Error with the status and the message of a refusal */
export async function logIn(endpoint, { role, jwt }) {
  const { auth } = await ask('POST', `${endpoint}/v1/auth/orchestrator/login`, { body: { role, jwt } })
  const own = (method, path, body) => ask(method, `${endpoint}/v1/${path}`, { token: auth.client_token, body })
  return {
    auth,
    read: async (path) => (await own('GET', path)).data,
    write: async (path, body) => (await own('POST', path, body)).data,
    /** Renews the token. Workloads that run for a long time call it before `lease_duration` has passed. */
    renew: async () => (await own('POST', 'auth/token/renew-self', {})).auth,
  }
}

async function ask(method, url, { token, body }) {
  const headers = { 'Content-Type': 'application/json', ...(token && { 'X-Service-Token': token }) }
  const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const reply = await answer.json()
  if (!answer.ok) throw new Error(`${answer.status} ${reply.errors.join(', ').trim()}`)
  return reply
}
