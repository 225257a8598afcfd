// Records an answer of an AI SDK model, one stream part per line, for `pintle translate` and
// `pintle turn --response`:
//
//   const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Which quays are free?' }] }];
//   await record(model, { prompt }, (line) => process.stdout.write(line));

// What JSON would lose: it makes {} of an Error, and an object of numbered bytes of a Uint8Array.
function encode(key, value) {
  const it = this[key]; // as it is before toJSON
  if (it instanceof Error) {
    const { name, message, statusCode, isRetryable, responseHeaders: headers } = it;
    const told = ['retry-after', 'retry-after-ms', 'x-request-id', 'request-id']; // others may hold secrets
    const responseHeaders = headers && Object.fromEntries(told.filter((h) => h in headers).map((h) => [h, headers[h]]));
    return { name, message, statusCode, isRetryable, responseHeaders };
  }
  if (it instanceof Uint8Array) return { $uint8array: Buffer.from(it).toString('base64') };
  return value;
}

export async function record(model, options, write) {
  const line = (part) => write(JSON.stringify(part, encode) + '\n');
  const failure = (error) => (error && typeof error === 'object' ? error : new Error(String(error)));
  let answer;
  try {
    answer = await model.doStream(options);
  } catch (error) {
    return line({ $reject: failure(error) });
  }
  try {
    for await (const part of answer.stream) line(part);
  } catch (error) {
    line({ $throw: failure(error) });
  }
}
