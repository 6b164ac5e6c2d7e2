import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listen, openApp } from './server.ts'

const listening = await listen('127.0.0.1', 0)
const { app, listener } = openApp(listening, {
  logLevel: 'silent',
  logStream: process.stderr,
  trustedProxy: ['127.0.0.1', '10.0.0.0/8', '2001:db8:f::/48'],
})
app.get('/', request => request.ip)
await app.ready()
listening.setListener(listener())
after(async () => {
  await listening.close()
  await app.close()
})

const asks = async (forwardedFor: string): Promise<string> => {
  const headers = { 'x-forwarded-for': forwardedFor }
  return (await fetch(`http://127.0.0.1:${listening.port}/`, { headers })).text()
}

test('the client address is read even if a balancer appends the port', async () => {
  for (const [header, client] of [
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:1234', '203.0.113.9'],
    ['[2001:db8::1]:1234', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['198.51.100.7, 203.0.113.9:1234, 10.1.2.3:80', '203.0.113.9'],
    ['198.51.100.7,203.0.113.9:1,[2001:db8:f::2]:443 ', '203.0.113.9'],
  ] as const)
    assert.equal(await asks(header), client, header)
})

test('an entry that is no address is ignored, with everything before it', async () => {
  for (const [header, client] of [
    ['garbage', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['203.0.113.9:123456', '127.0.0.1'],
    ['203.0.113.999:80', '127.0.0.1'],
    ['203.0.113.9, unknown', '127.0.0.1'],
    ['203.0.113.9, _hidden, 10.1.2.3', '10.1.2.3'],
  ] as const)
    assert.equal(await asks(header), client, header)
})
