// Opens sessions of Pi's SDK in this process, in the sandbox that the environment describes.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { E2E_SDK, E2E_EXTENSION, E2E_PROVIDER, E2E_MODEL, HOME } = process.env;
const {
  createAgentSession, DefaultResourceLoader, ModelRuntime, SessionManager, SettingsManager,
} = await import(pathToFileURL(E2E_SDK).href);

const agentDir = join(HOME, ".pi", "agent");
const cwd = process.cwd();
const modelRuntime = await ModelRuntime.create();
const model = modelRuntime.getModel(E2E_PROVIDER, E2E_MODEL);

/** A session in memory, with the extension if E2E_EXTENSION names one. */
export async function openSession(systemPrompt = "You are Harbour.") {
  const settingsManager = SettingsManager.create(cwd, agentDir);
  const resourceLoader = new DefaultResourceLoader({
    cwd, agentDir, settingsManager, systemPrompt,
    additionalExtensionPaths: E2E_EXTENSION ? [E2E_EXTENSION] : [],
  });
  await resourceLoader.reload();
  const { session, extensionsResult } = await createAgentSession({
    cwd, agentDir, model, modelRuntime, resourceLoader, settingsManager,
    noTools: "all", sessionManager: SessionManager.inMemory(cwd),
  });
  const [error] = extensionsResult.errors;
  if (error) throw new Error(`${error.path}: ${error.error}`);
  await session.bindExtensions({ onError: (failure) => console.error(failure) });
  return session;
}
