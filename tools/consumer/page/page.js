import { roundTrip } from './round-trip.js'

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
const answer = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(`the worker failed: ${message}`))
})
// page-in-chromium.mjs waits for this line.
console.log(JSON.stringify({ page: await roundTrip(), worker: await answer }))
