/**
 * A program that knows its service account's token and where the application is. Everything else it asks for, over HTTP.
 */

/** Logs in; what is returned asks with the token that came of it. @throws Error with the status and the words of a refusal */
export async function logIn(endpoint, { role, jwt }) {
  const { auth } = await ask('POST', `${endpoint}/v1/auth/orchestrator/login`, { body: { role, jwt } })
  const own = (method, path, body) => ask(method, `${endpoint}/v1/${path}`, { token: auth.client_token, body })
  return {
    auth,
    read: async (path) => (await own('GET', path)).data,
    write: async (path, body) => (await own('POST', path, body)).data,
    /** For long-lived workloads, before `lease_duration` is over. */
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
