process FASTID_SHARD {
    tag "${meta.id} ${shard}/${shards}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "fastid"

    input:
    tuple val(meta), path(queries), path(database), val(command), val(shard), val(shards)

    output:
    tuple val(meta), path("${prefix}.${shard}.part"), emit: part
    path "versions.yml"                             , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix   = task.ext.prefix ?: "${meta.id}"
    """
    fastid ${command} \\
        ${queries} \\
        ${database} \\
        ${args} \\
        --threads ${task.cpus} \\
        --progress never \\
        --shard ${shard}/${shards} \\
        -o ${prefix}.${shard}.part

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        fastid: \$(fastid --version | sed -n '1s/^fastid //p')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.${shard}.part

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        fastid: \$(fastid --version | sed -n '1s/^fastid //p')
    END_VERSIONS
    """
}
