// pm2 start ecosystem.config.cjs
module.exports = {
  apps: [
    {
      name: "llmwiki-mcp",
      script: "llmwiki-mcp",
      args: "--transport http --port 8080",
      interpreter: "none",
      env: { WIKI_VAULT_PATH: "/srv/wiki" },
      kill_timeout: 10000,
      max_memory_restart: "500M",
    },
  ],
};
